import { discard, isNode, read } from './body.js';
import { failure, RosteringError } from './error.js';
import { userAgent } from './version.js';

/** @import {Fetch, Payload} from './options.js' */
/** @typedef {{method: string, url: string, headers: Record<string, string>, body?: Payload | null | undefined}} Request */

/**
 * A response whose body has been read. Without a response, the status is 0, and `cause` is the reason.
 *
 * @typedef {{status: number, headers?: Headers, body?: Uint8Array, cause?: unknown}} Outcome
 */

/**
 * How many bytes of a response to read, and how many it may have if it is the result of a call.
 *
 * @typedef {{read: number, most?: number}} Limits
 */

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const { Deno } = /** @type {any} */ (globalThis);
let client = /** @type {any} */ (undefined); // of Deno, which would use a connection of HTTP/2 again that has fallen silent

/** The runtime's fetch. @type {Fetch} */
export function defaultFetch(url, init) {
  if (isNode) return nodeFetch(url, init);
  if (!Deno) return fetch(url, init);
  const { signal } = init;
  const used = client;
  signal?.addEventListener('abort', () => {
    if (!url.startsWith('https:') || used !== client || signal.reason?.name === 'AbortError') return;
    client = Deno.createHttpClient({}); // with other connections
    used?.close();
  });
  return fetch(url, /** @type {RequestInit} */ ({ ...init, client }));
}

const safe = ['GET', 'HEAD', 'OPTIONS'];
const closed = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
const kept = /** @type {Set<string>} */ (new Set()); // the origins that have responded, and so may have connections

/**
 * Node's fetch. If the server closes a kept-alive connection just when Node uses it, a request that changes nothing is sent once
 * more, as Deno and Bun do. The dot at the end of a name, as in Kubernetes, is not part of what TLS calls it.
 *
 * @type {Fetch}
 */
async function nodeFetch(given, init) {
  const { method = 'GET', body } = init;
  const url = given.replace(/^(https:\/\/[^/?:]+)\.(?=[/?:])/, '$1');
  const origin = url.slice(0, url.indexOf('/', 'https://'.length));
  try {
    const response = await fetch(url, init);
    kept.add(origin);
    return response;
  } catch (/** @type {any} */ error) {
    const { code, socket } = error?.cause ?? {};
    const wasUsed = socket ? socket.bytesRead > 0 : kept.has(origin);
    if (!safe.includes(method) || body != null || !closed.includes(code) || !wasUsed) throw error;
    return fetch(url, init);
  }
}

/**
 * Sends a request. Follows no redirect, because that could forward the secret to another host.
 *
 * @param {Fetch} fetch
 * @param {Request} request
 * @param {AbortSignal} signal
 * @param {Limits} limits
 * @returns {Promise<Outcome>}
 */
export async function exchange(fetch, { method, url, headers, body }, signal, { read: limit, most }) {
  /** @type {RequestInit & {duplex: 'half'}} */
  const init = {
    method,
    headers,
    signal,
    redirect: 'manual',
    credentials: 'omit', // or fetch hides a 401 to a stream, for which it would ask for credentials
    duplex: 'half', // for streams
  };
  if (body != null) init.body = hasHeader(headers, 'content-type') ? body : untyped(body);
  const response = await fetch(url, init);
  if (signal.aborted) {
    discard(response?.body); // the fetch of the options may ignore the signal
    throw signal.reason;
  }
  if (typeof response?.status !== 'number') throw new TypeError('options.fetch did not return a Response');
  const { status, headers: received } = response;
  if (!(status > 0 && status < 1000)) throw new TypeError('the response has an invalid status');
  const bounded = isResult(response) ? most : undefined;
  const whole = await read(response, bounded === undefined ? limit : bounded + 1, signal);
  if (bounded === undefined || whole.length <= bounded) return { status, headers: received, body: whole };
  const message = `the response is larger than maxBody (${most} bytes): raise it, or request less`;
  throw new RosteringError({ code: 'network_error', message, retryable: false, reason: 'protocol' });
}

/** Returns a response as resume and explain take it. @param {Outcome} outcome @returns {object} */
export function described({ status, headers, body, cause }) {
  if (!headers) return failure(cause);
  const cookies = headers.getSetCookie?.() ?? []; // the others are joined
  const fields = { ...Object.fromEntries(headers), ...(cookies.length > 0 && { 'set-cookie': cookies }) };
  return { status, headers: fields, body: decoder.decode(body) };
}

/** Adds the name of this library, unless the caller has set another one. @param {Request} request @returns {Request} */
export function signed(request) {
  const { headers } = request;
  return hasHeader(headers, 'user-agent') ? request : { ...request, headers: { ...headers, 'User-Agent': userAgent } };
}

/** Returns headers as the plugin takes them, which rejects invalid ones. @param {any} headers @returns {Record<string, string>} */
export const plainHeaders = (headers) =>
  headers && Object.getPrototypeOf(headers) === Object.prototype ? headers : Object.fromEntries(new Headers(headers));

/** @param {Record<string, string>} headers @param {string} wanted in lower case */
export const hasHeader = (headers, wanted) => Object.keys(headers).some((name) => name.toLowerCase() === wanted);

/** Whether a response of the service is the result of its call. @param {{status: number}} response */
export const isResult = ({ status }) => (status >= 200 && status < 300) || status === 304;

/** Keeps fetch from declaring a string as `text/plain`. @param {Payload} body */
const untyped = (body) => (typeof body === 'string' ? new TextEncoder().encode(body) : body);
