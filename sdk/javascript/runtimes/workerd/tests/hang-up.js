import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';

/** An HTTP client that can disconnect so that workerd notices: by resetting its connection. fetch only closes it. */
export class Caller {
  hungUp = false;
  /** @type {import('node:http').ClientRequest | undefined} */
  #request;

  /**
   * Sends a request and returns the body of the response.
   *
   * @param {URL} url
   * @param {string} [body] of a POST
   */
  async send(url, body) {
    this.#request = request(url, { method: body === undefined ? 'GET' : 'POST', agent: false });
    this.#request.end(body);
    const [response] = await once(this.#request, 'response');
    const received = await text(response);
    if (response.statusCode !== 200) throw new Error(received);
    return received;
  }

  /** Resets the connection. */
  hangUp() {
    this.hungUp = true;
    this.#request?.socket?.resetAndDestroy();
  }
}
