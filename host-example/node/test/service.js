import { Rostering } from '../rostering/index.js';
import { secret, Server } from './server.js';

export { answer, breakOff, held, jobs, secret } from './server.js';

/** The server, with the config of a client of it. */
export class Service extends Server {
  /** @returns {import('../rostering/index.js').Config} */
  get config() {
    return {
      environment: 'stage',
      authUrl: this.url,
      baseUrl: this.url,
      clientId: 'client',
      clientSecret: secret,
      customerId: 'customer',
      userId: 'user',
    };
  }
}

/**
 * A service and a client of it, which end with the test.
 *
 * @param {import('node:test').TestContext} t
 * @param {import('../rostering/index.js').Options} [options]
 * @param {Partial<import('../rostering/index.js').Config>} [config]
 */
export async function start(t, options, config) {
  const service = new Service();
  await service.listen();
  const client = await Rostering.open({ ...service.config, ...config }, options);
  t.after(async () => {
    await client.close();
    await service.close();
  });
  return { service, client };
}

/**
 * What a call fails with.
 *
 * @param {Promise<unknown>} call
 * @returns {Promise<any>}
 */
export const failure = (call) =>
  call.then(
    () => 'it did not fail',
    (error) => error,
  );
