import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { Rostering } from '../rostering/index.js';

export const secret = 's3cr3t/+ &';
export const jobs = '[{"id":1}]';

const dist = new URL('../../../dist/', import.meta.url);

/** Every build of the plugin that the runtime can load. */
export const builds = 'Bun' in globalThis ? ['rostering-nowasi.wasm'] : ['rostering.wasm', 'rostering-nowasi.wasm'];

/** @param {string} [build] */
export const wasm = (build = 'rostering-nowasi.wasm') => readFile(new URL(build, dist));

/** @typedef {(response: import('node:http').ServerResponse) => void} Answer */

/**
 * @param {number} status
 * @param {string} body
 * @param {Record<string, string>} [headers]
 * @returns {Answer}
 */
export const answer = (status, body, headers) => (response) => response.writeHead(status, headers).end(body);

/** @type {Answer} */
export const breakOff = (response) => void response.socket?.destroy();

/**
 * Holds answers back until some number of requests are there; and again.
 *
 * @param {number} count
 * @param {Answer} answer
 * @returns {Answer}
 */
export function gathers(count, answer) {
  /** @type {import('node:http').ServerResponse[]} */
  const held = [];
  return (response) => {
    if (held.push(response) === count) held.splice(0).forEach(answer);
  };
}

/** An identity provider and a service in one, on loopback. A test may replace how it answers. */
export class Service {
  /** @type {URLSearchParams[]} */
  tokenRequests = [];
  /** @type {import('node:http').IncomingHttpHeaders[]} */
  jobRequests = [];
  /**
   * Method, path and body of the same requests.
   * @type {string[]}
   */
  lines = [];
  /** @type {Answer} */
  token = (response) => this.#goodToken(response);
  jobs = answer(200, jobs);
  port = 0;
  #server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url === '/connect/token') {
      this.tokenRequests.push(new URLSearchParams(body));
      this.token(response);
    } else {
      this.lines.push(`${request.method} ${request.url} ${body}`.trim());
      this.jobRequests.push(request.headers);
      this.jobs(response);
    }
  });

  /** @param {import('node:http').ServerResponse} response */
  #goodToken(response) {
    if (this.tokenRequests.at(-1)?.get('client_secret') !== secret) {
      return answer(401, '{"error":"invalid_client","error_description":"unknown"}')(response);
    }
    const token = { access_token: `token-${this.tokenRequests.length}`, expires_in: 3600, token_type: 'Bearer' };
    answer(200, JSON.stringify(token))(response);
  }

  /** @param {number} [port] */
  async listen(port = 0) {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = /** @type {import('node:net').AddressInfo} */ (this.#server.address()).port;
  }

  async close() {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /** @returns {import('../rostering/index.js').Config} */
  get config() {
    const url = `http://127.0.0.1:${this.port}`;
    return {
      environment: 'stage',
      authUrl: url,
      baseUrl: url,
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
