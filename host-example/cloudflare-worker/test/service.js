import { setTimeout } from 'node:timers/promises';
import { secret, Server } from '../../node/test/server.js';
import { startWorker } from '../local/worker.js';

export { answer, breakOff, jobs, secret } from '../../node/test/server.js';

/** The server, with what a Worker must know of it. */
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
 * @param {Record<string, string | number>} [bindings]
 * @param {import('../local/worker.js').Options & {entry?: string}} [options]
 */
export async function start(t, bindings, { entry = 'src/index.ts', ...options } = {}) {
  const service = await listen(t);
  const worker = await startWorker(entry, { ...options, bindings: { ...service.bindings, ...bindings } });
  t.after(() => worker.end());
  /** @param {string} [path] @param {RequestInit} [init] */
  const get = (path = '/jobs', init) => fetch(new URL(path, worker.url), init);
  return { service, get };
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
 * @param {() => boolean} condition
 */
export async function until(condition) {
  for (let i = 0; i < 2000 && !condition(); i++) await setTimeout(5);
  if (!condition()) throw new Error('it did not come to that');
}

/**
 * A Worker that takes the requests in place of another. Of one to /hang-up it hangs up on the other as
 * soon as GATE answers; the rest it hands on.
 *
 * @param {Service} gate
 * @returns {import('miniflare').WorkerOptions}
 */
export const front = (gate) => ({
  modules: true,
  bindings: { GATE: gate.bindings.ROSTERING_BASE_URL },
  script: `export default {
    async fetch(request, env) {
      const url = new URL(request.url);
      if (url.pathname !== '/hang-up') return env.WORKER.fetch(request);
      const controller = new AbortController();
      const { signal } = controller;
      const ended = env.WORKER.fetch(new URL(url.searchParams.get('on'), url), { signal }).catch((error) => error.name);
      await fetch(env.GATE);
      controller.abort();
      return new Response(await ended);
    },
  }`,
});
