// A fake identity provider and service, which respond in place of fetch.

import { Client } from '../src/index.js';

/** @typedef {{url: string, method: string, headers: Headers, body: string}} Received */

export const config = {
  authUrl: 'https://login.invalid',
  baseUrl: 'https://service.invalid',
  clientId: 'client',
  clientSecret: 'pa55word',
  scope: 'jobs',
  customerId: 'customer',
  userId: 'user',
};

/**
 * Opens a client whose fetch keeps what it receives. It returns the tokens token-0001, token-0002, …, and an empty list to other
 * requests, unless `respond` returns something else.
 *
 * @param {(request: Received, init: RequestInit) => Response | undefined | Promise<Response | undefined>} [respond]
 * @param {import('../src/index.js').Options} [options]
 */
export async function start(respond = () => undefined, options = {}) {
  /** @type {Received[]} */
  const received = [];
  let tokens = 0;
  const fetch = async (/** @type {any} */ input, /** @type {RequestInit} */ init = {}) => {
    const request = new Request(input, init);
    const { url, method, headers } = request;
    const seen = { url, method, headers, body: await request.text() };
    received.push(seen);
    const own = await respond(seen, init);
    if (own) return own;
    if (!url.endsWith('/connect/token')) return Response.json([]);
    return Response.json({ access_token: `token-000${++tokens}`, token_type: 'Bearer', expires_in: 3600 });
  };
  const of = (/** @type {string} */ origin) => received.filter(({ url }) => url.startsWith(origin));
  const client = await Client.open(config, { fetch, ...options });
  return { client, fetch, ofAuth: () => of(config.authUrl), ofService: () => of(config.baseUrl), received };
}

/** Responds to token requests as usual, and to the others as a test wants. @param {() => Response} respond */
export const byService =
  (respond) =>
  (/** @type {Received} */ { url }) =>
    url.startsWith(config.baseUrl) ? respond() : undefined;

/** Waits until a test says so, or the request is aborted. @param {RequestInit} init @param {Promise<void>} released */
export const hold = ({ signal }, released) =>
  new Promise((/** @type {(_: undefined) => void} */ resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
    void released.then(() => resolve(undefined));
  });
