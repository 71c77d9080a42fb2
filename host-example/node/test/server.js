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
export class Server {
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
  lifetime = 3600; // seconds of a token
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
    const access_token = `token-${this.tokenRequests.length}`;
    answer(200, JSON.stringify({ access_token, expires_in: this.lifetime, token_type: 'Bearer' }))(response);
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
