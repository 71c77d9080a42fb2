import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A client of the Worker that can hang up. fetch cannot: it closes its connection in a way that workerd does not see. */
export class Client {
  hungUp = false;
  /** @type {import('node:http').ClientRequest | undefined} */
  #request;

  /**
   * Sends a request, and returns the body of the response.
   *
   * @param {URL} url
   * @param {string} [body]
   */
  async post(url, body) {
    this.#request = request(url, { method: 'POST', agent: false });
    this.#request.end(body);
    const [response] = await once(this.#request, 'response');
    const answer = await text(response);
    if (response.statusCode !== 200) throw new Error(answer);
    return answer;
  }

  hangUp() {
    this.hungUp = true;
    this.#request?.socket?.resetAndDestroy();
  }
}
