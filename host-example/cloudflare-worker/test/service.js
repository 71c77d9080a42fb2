import { setTimeout } from 'node:timers/promises';
import { secret, Server } from '../../node/test/server.js';
import { startWorker } from '../local/worker.js';

export { answer, breakOff, held, jobs, secret } from '../../node/test/server.js';

/** The server, with the settings of a Worker that uses it. */
export class Service extends Server {
  /** The Worker's variables and secret. */
  get bindings() {
    return {
      ROSTERING_AUTH_URL: this.url,
      ROSTERING_BASE_URL: this.url,
      ROSTERING_ENVIRONMENT: 'stage',
      ROSTERING_CLIENT_ID: 'client',
      ROSTERING_CLIENT_SECRET: secret,
      ROSTERING_CUSTOMER_ID: 'customer',
      ROSTERING_USER_ID: 'user',
    };
  }
}

/**
 * A service and the Worker with it, which end with the test.
 *
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} [bindings]
 * @param {import('../local/worker.js').Options} [options]
 */
export async function start(t, bindings, options) {
  const service = await listen(t);
  const worker = await startWorker('src/index.ts', { ...options, bindings: { ...service.bindings, ...bindings } });
  t.after(() => worker.end());
  /** @param {string} [path] @param {RequestInit} [init] */
  const get = (path = '/jobs', init) => fetch(new URL(path, worker.url), init);
  return { service, get, url: new URL('/jobs', worker.url) };
}

/** @param {import('node:test').TestContext} t */
export async function listen(t) {
  const service = new Service();
  await service.listen();
  t.after(() => service.close());
  return service;
}

/**
 * Waits until a condition holds, for ten seconds at most.
 *
 * @param {() => boolean | Promise<boolean>} condition
 */
export async function until(condition) {
  for (let i = 0; i < 1000; i++) {
    if (await condition()) return;
    await setTimeout(10);
  }
  throw new Error('the condition does not hold');
}
