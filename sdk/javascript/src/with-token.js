import { discard } from './body.js';
import { callable, checkValue, isStream } from './check.js';
import { sharedOf } from './client.js';
import { RosteringError } from './error.js';

/** @typedef {import('./client.js').Client} Client */

/** A function that is called like `fetch`. @typedef {(input: any, init?: RequestInit) => Promise<Response>} WebFetch */

const redirects = new Set([301, 302, 303, 307, 308]);
const mostRedirects = 20; // as in fetch

/**
 * Returns a `fetch` that adds the token to requests to the origin of the config's `baseUrl` without an `Authorization`.
 *
 * It returns a 401 if there is no other token, or if the body is a stream, which cannot be sent again. It keeps the body of a
 * `Request` in memory for that. It throws what `fetch` and {@link Client.getToken} throw. It follows the redirects of a GET or
 * HEAD, and a 303, and returns others.
 *
 * @param {Client} client Its config needs a `baseUrl`.
 * @param {WebFetch} [send] Sends the requests, instead of the global `fetch`.
 * @returns {(input: string | URL | Request, init?: RequestInit) => Promise<Response>}
 * @throws {RosteringError} `config_missing` if there is no `baseUrl`
 */
export function withToken(client, send = (input, init) => fetch(input, init)) {
  const shared = sharedOf(client);
  checkValue('withToken: send', send, callable);
  if (!client.baseUrl) {
    const message = 'set baseUrl to the https URL of the service';
    throw new RosteringError({ code: 'config_missing', message, retryable: false, key: 'base_url' });
  }
  const { origin } = new URL(client.baseUrl);
  return (input, init = {}) => follow(input, init, mostRedirects);

  /**
   * Sends a request and follows its redirects itself: a runtime might forward the token.
   *
   * @param {string | URL | Request} input
   * @param {RequestInit} init
   * @param {number} left
   * @returns {Promise<Response>}
   */
  async function follow(input, init, left) {
    const request = input instanceof Request ? input : undefined;
    const url = new URL(request?.url ?? /** @type {string | URL} */ (input));
    const headers = new Headers(init.headers ?? request?.headers);
    if (url.origin !== origin || headers.has('Authorization')) return send(input, init);
    const mode = init.redirect ?? request?.redirect ?? 'follow';
    /** @type {RequestInit} */
    const own = {
      credentials: 'omit', // or Node's fetch hides a 401 to a stream, for which it would ask for credentials
      ...init,
      redirect: mode === 'follow' ? 'manual' : mode,
    };
    const response = await sendWithToken(input, own, headers);
    const method = (init.method ?? request?.method ?? 'GET').toUpperCase();
    const next = mode === 'follow' ? target(response, method, url) : undefined;
    if (!next) return response;
    discard(response.body);
    if (left === 0) throw new TypeError('too many redirects');
    const signal = init.signal ?? request?.signal ?? null;
    const rest = { method: method === 'HEAD' ? method : 'GET', headers: carried(headers, next.origin === origin) };
    return follow(next, { ...init, ...rest, signal, body: null }, left - 1);
  }

  /**
   * Sends a request, again with another token while the service refuses the token.
   *
   * @param {string | URL | Request} input
   * @param {RequestInit} init
   * @param {Headers} headers
   */
  async function sendWithToken(input, init, headers) {
    const signal = init.signal ?? (input instanceof Request ? input.signal : null);
    let next = input;
    /** @type {Response | undefined} */
    let refused;
    const attempt = async (/** @type {string} */ token) => {
      discard(refused?.body); // or it would keep its connection
      const current = next;
      if (current instanceof Request && current.body && !init.body) next = current.clone();
      const own = new Headers(headers);
      own.set('Authorization', `Bearer ${token}`);
      shared.sent++;
      return (refused = await send(current, { ...init, headers: own }));
    };
    try {
      const getToken = (/** @type {string | undefined} */ mine) => shared.token(mine, { signal });
      // A stream cannot be sent again, but the next request has another token.
      const { response, error } = await shared.send(getToken, attempt, !(init.body && isStream(init.body)));
      if (error !== undefined) signal?.throwIfAborted();
      return response;
    } finally {
      if (next instanceof Request && next !== input) discard(next.body);
    }
  }
}

/**
 * Returns the URL of a redirect, if it is followed.
 *
 * @param {Response} response
 * @param {string} method
 * @param {URL} url
 */
function target({ status, headers }, method, url) {
  const location = headers.get('Location');
  if (location === null || !redirects.has(status)) return undefined;
  if (status !== 303 && method !== 'GET' && method !== 'HEAD') return undefined;
  const next = new URL(location, url);
  return next.protocol === 'https:' || next.protocol === 'http:' ? next : undefined; // not file:, which some fetch
}

/**
 * Returns the headers of the request after a redirect, which has no body.
 *
 * @param {Headers} headers
 * @param {boolean} sameOrigin
 */
function carried(headers, sameOrigin) {
  const own = new Headers(headers);
  for (const name of ['Content-Encoding', 'Content-Language', 'Content-Length', 'Content-Location', 'Content-Type']) {
    own.delete(name);
  }
  for (const name of sameOrigin ? [] : ['Cookie', 'Proxy-Authorization']) own.delete(name);
  return own;
}
