import { read, toText } from './body.js';
import { unlessAborted } from './deadline.js';

/** @typedef {import('./options.js').Fetch} Fetch */
/** @typedef {import('./options.js').Payload} Payload */
/** @typedef {{method: string, url: string, headers: Record<string, string>, body?: Payload}} Request */

/**
 * An answer, read whole.
 *
 * @typedef {{status: number, headers: Headers, body: Uint8Array<ArrayBuffer>}} Answer
 */

/**
 * The outcome of a request: `told` is for resume, `lost` is what fetch threw if the request failed.
 *
 * @typedef {{told: object, answer?: Answer, lost?: unknown}} Outcome
 */

// Bytes of an answer that the plugin reads.
const tokenLimit = 256 * 1024;
const errorLimit = 64 * 1024;

/**
 * Sends a request. Follows no redirect, which could take the secret to another host.
 *
 * @param {Fetch} fetch
 * @param {Request} request
 * @param {{for: 'token'} | {for: 'service', maxBody: number}} purpose
 * @param {AbortSignal} signal
 * @returns {Promise<Outcome>}
 */
export async function send(fetch, request, purpose, signal) {
  try {
    return await unlessAborted(exchange(fetch, request, purpose, signal), signal);
  } catch (lost) {
    return { told: { failed: reason(lost) }, lost };
  }
}

/**
 * @param {Fetch} fetch
 * @param {Request} request
 * @param {{for: 'token'} | {for: 'service', maxBody: number}} purpose
 * @param {AbortSignal} signal
 * @returns {Promise<Outcome>}
 */
async function exchange(fetch, { method, url, headers, body }, purpose, signal) {
  /** @type {RequestInit & {duplex: 'half'}} */
  const init = {
    method,
    headers,
    signal,
    redirect: 'manual',
    credentials: 'omit', // or fetch hides a 401 to a stream, which it would answer itself
    duplex: 'half', // for streams
  };
  if (body !== undefined) init.body = untyped(body);
  const response = await fetch(url, init);
  const { status } = response;
  if (status > 599) throw new RangeError(`${status} is not an HTTP status`);
  const success = purpose.for === 'service' && isSuccess(response);
  const limit = success ? purpose.maxBody : purpose.for === 'service' ? errorLimit : tokenLimit;
  const whole = await read(response.body, limit);
  if (success && whole.length > limit) throw new RangeError(`the answer is longer than ${limit} bytes`);
  const told = { status, headers: Object.fromEntries(response.headers), ...(!success && { body: toText(whole) }) };
  return { told, answer: { status, headers: response.headers, body: whole } };
}

/** @param {{status: number}} answer */
export const isSuccess = ({ status }) => status >= 200 && status < 300;

/**
 * Keeps fetch from declaring text as `text/plain`.
 *
 * @param {Payload} body
 */
const untyped = (body) => (typeof body === 'string' ? new TextEncoder().encode(body) : body);

/**
 * Why a request failed. The error that fetch throws has a cause, which says more; an error for several addresses has
 * only a code.
 *
 * @param {any} thrown
 * @returns {string}
 */
export function reason(thrown) {
  const own = thrown?.message || !thrown?.code ? String(thrown) : `${thrown.name}: ${thrown.code}`;
  return thrown?.cause ? `${own}: ${reason(thrown.cause)}` : own;
}
