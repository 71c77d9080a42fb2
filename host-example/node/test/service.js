import { readFile } from 'node:fs/promises';
import { Rostering } from '../rostering/index.js';
import { secret, Server } from './server.js';

export { answer, breakOff, gathers, jobs, secret } from './server.js';

const dist = new URL('../../../dist/', import.meta.url);

/** Every build of the plugin that the runtime can load. */
export const builds = 'Bun' in globalThis ? ['rostering-nowasi.wasm'] : ['rostering.wasm', 'rostering-nowasi.wasm'];

/** @param {string} [build] */
export const wasm = (build = 'rostering-nowasi.wasm') => readFile(new URL(build, dist));

/** @typedef {import('./server.js').Answer} Answer */

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

/** @typedef {import('../rostering/index.js').PoolOptions & import('../rostering/index.js').DriverOptions} Options */
/** @typedef {'open' | 'openDriver' | 'openPool'} Form */
/** @type {Form[]} */
export const forms = ['open', 'openDriver', 'openPool'];

/**
 * A service and a client of it, which end with the test.
 *
 * @param {import('node:test').TestContext} t
 * @param {Partial<import('../rostering/index.js').Config>} [config]
 * @param {Options & {form?: Form, build?: string}} [options]
 */
export async function start(t, config, { form = 'open', build, ...options } = {}) {
  const service = new Service();
  await service.listen();
  const client = await Rostering[form](await wasm(build), { ...service.config, ...config }, options);
  t.after(async () => {
    await client.close();
    await service.close();
  });
  return { service, client };
}

/** @param {Uint8Array} body */
export const decode = (body) => new TextDecoder().decode(body);
