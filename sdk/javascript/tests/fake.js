// A service for tests without one: what a client sends ends here.

import { Client } from '../src/index.js';

/** @typedef {{url: string, method: string, headers: Headers, body: string}} Received */

export const config = {
  ...{
    authUrl: 'https://login.invalid',
    baseUrl: 'https://service.invalid',
    clientId: 'client',
    clientSecret: 'pa55word',
  },
  ...{ scope: 'jobs', customerId: 'customer', userId: 'user' },
};

/**
 * Makes a fetch, which keeps what it receives. It gives out the tokens token-0001, token-0002, …, and responds to other requests with
 * an empty list, unless `respond` returns something else.
 *
 * @param {(request: Received, init: RequestInit) => Response | undefined | Promise<Response | undefined>} [respond]
 */
export function service(respond = () => undefined) {
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
  return { fetch, ofAuth: () => of(config.authUrl), ofService: () => of(config.baseUrl), received };
}

/**
 * Opens a client of such a service.
 *
 * @param {Parameters<typeof service>[0]} [respond]
 * @param {import('../src/index.js').Options} [options]
 */
export async function start(respond, options) {
  const own = service(respond);
  return { ...own, client: await Client.open(config, { fetch: own.fetch, ...options }) };
}

/** Responds to token requests as usual, and to the others as a test wants. @param {() => Response} respond */
export const byService =
  (respond) =>
  (/** @type {Received} */ { url }) =>
    url.startsWith(config.baseUrl) ? respond() : undefined;

/**
 * Returns a response that comes when the test says so, unless its request is aborted before.
 *
 * @param {RequestInit} init
 * @param {Promise<void>} released
 * @returns {Promise<undefined>}
 */
export const hold = ({ signal }, released) =>
  new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason));
    void released.then(() => resolve(undefined));
  });
