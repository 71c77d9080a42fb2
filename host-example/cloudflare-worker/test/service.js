import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { startWorker } from '../local/worker.js';

export const secret = 's3cr3t/+ &';
export const jobs = '[{"id":1}]';

/** @typedef {(response: import('node:http').ServerResponse) => void} Answer */

/**
 * @param {number} status
 * @param {string | Buffer} body
 * @param {Record<string, string>} [headers]
 * @returns {Answer}
 */
export const answer = (status, body, headers) => (response) => response.writeHead(status, headers).end(body);

/** @type {Answer} */
export const breakOff = (response) => void response.socket?.destroy();

/** An identity provider and a service in one, on loopback. A test may replace how it answers. */
export class Service {
  /** @type {URLSearchParams[]} */
  tokenRequests = [];
  /** @type {import('node:http').IncomingHttpHeaders[]} */
  jobRequests = [];
  /** @type {Answer} */
  token = (response) => this.#goodToken(response);
  jobs = answer(200, jobs);
  lifetime = 3600; // seconds of a token
  port = 0;
  #server = createServer(async (request, response) => {
    if (request.url === '/connect/token') {
      this.tokenRequests.push(new URLSearchParams(await text(request)));
      this.token(response);
    } else {
      this.jobRequests.push(request.headers);
      this.jobs(response);
    }
  });

  /** @param {import('node:http').ServerResponse} response */
  #goodToken(response) {
    if (this.tokenRequests.at(-1)?.get('client_secret') !== secret) {
      return answer(401, '{"error":"invalid_client","error_description":"unknown"}')(response);
    }
    const access_token = `token-${this.tokenRequests.length}`;
    answer(200, JSON.stringify({ access_token, expires_in: this.lifetime, token_type: 'Bearer' }))(response);
  }

  async listen() {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = /** @type {import('node:net').AddressInfo} */ (this.#server.address()).port;
  }

  async close() {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** The Worker's variables and secret. */
  get bindings() {
    const url = `http://127.0.0.1:${this.port}`;
    return {
      ROSTERING_AUTH_URL: url,
      ROSTERING_BASE_URL: url,
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
