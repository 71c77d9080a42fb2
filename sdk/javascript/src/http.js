import { read, toText } from './body.js';
import { unlessAborted } from './deadline.js';

/** @typedef {import('./options.js').Fetch} Fetch */
/** @typedef {import('./options.js').Payload} Payload */
/** @typedef {{method: string, url: string, headers: Record<string, string>, body?: Payload | undefined}} Request */

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

/**
 * How many bytes of an answer to read: of one that the plugin reads, and of the body of a 2xx that it does not.
 *
 * @typedef {{told: number, body?: number}} Limits
 */

/**
 * Sends a request. Follows no redirect, which could take the secret to another host.
 *
 * @param {Fetch} fetch
 * @param {Request} request
 * @param {Limits} limits
 * @param {AbortSignal} signal
 * @returns {Promise<Outcome>}
 */
export async function send(fetch, request, limits, signal) {
  try {
    return await unlessAborted(exchange(fetch, request, limits, signal), signal);
  } catch (lost) {
    return { told: { failed: reason(lost) }, lost };
  }
}

/**
 * @param {Fetch} fetch
 * @param {Request} request
 * @param {Limits} limits
 * @param {AbortSignal} signal
 * @returns {Promise<Outcome>}
 */
async function exchange(fetch, { method, url, headers, body }, limits, signal) {
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
  const most = isSuccess(response) ? limits.body : undefined;
  const whole = await read(response.body, most === undefined ? limits.told : most + 1);
  if (most !== undefined && whole.length > most) throw new RangeError(`the answer is longer than ${most} bytes`);
  const text = most === undefined ? { body: toText(whole) } : {};
  const told = { status, headers: Object.fromEntries(response.headers), ...text };
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
