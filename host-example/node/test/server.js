// A server for the tests here and in ../../cloudflare-worker: it needs nothing that is installed.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

export const secret = 's3cr3t/+ &';
export const jobs = '[{"id":1}]';

/** @typedef {(response: import('node:http').ServerResponse) => void} Answer */

/**
 * @param {number} status
 * @param {string | Uint8Array} body
 * @param {Record<string, string>} [headers]
 * @returns {Answer}
 */
export const answer = (status, body, headers) => (response) => response.writeHead(status, headers).end(body);

/** @type {Answer} */
export const breakOff = (response) => void response.socket?.destroy();

/** Holds an answer back until the test gives it. */
export function held() {
  /** @type {Answer} */
  let hold = () => {};
  /** @type {Promise<import('node:http').ServerResponse>} */
  const response = new Promise((resolve) => (hold = resolve));
  return { hold, response };
}

/** An identity provider and a service in one, on loopback. A test may replace how it answers. */
export class Server {
  /** @type {URLSearchParams[]} */
  tokenRequests = [];
  /** @type {import('node:http').IncomingHttpHeaders[]} */
  jobRequests = [];
  /** @type {string[]} */
  bodies = []; // of the same requests
  /** @type {Answer} */
  token = (response) => this.#goodToken(response);
  jobs = answer(200, jobs);
  lifetime = 3600; // seconds of a token
  prefix = 'token-'; // of its text; the plugin redacts all of a body where a token is shorter than 8 bytes
  port = 0;
  #revoked = '';
  #server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url === '/connect/token') {
      this.tokenRequests.push(new URLSearchParams(body));
      this.token(response);
    } else {
      this.bodies.push(body);
      this.jobRequests.push(request.headers);
      (request.headers.authorization === this.#revoked ? answer(401, '') : this.jobs)(response);
    }
  });

  /** @param {import('node:http').ServerResponse} response */
  #goodToken(response) {
    if (this.tokenRequests.at(-1)?.get('client_secret') !== secret) {
      return answer(401, '{"error":"invalid_client","error_description":"unknown"}')(response);
    }
    const access_token = `${this.prefix}${this.tokenRequests.length}`;
    answer(200, JSON.stringify({ access_token, expires_in: this.lifetime, token_type: 'Bearer' }))(response);
  }

  /** Refuses the newest token from now on. */
  revoke() {
    this.#revoked = `Bearer ${this.prefix}${this.tokenRequests.length}`;
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

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }
}
