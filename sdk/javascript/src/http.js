import { read, toText } from './body.js';
import { unlessAborted } from './deadline.js';
import { Mistake, RosteringError } from './error.js';
import { version } from './version.js';

/** @typedef {import('./options.js').Fetch} Fetch */
/** @typedef {import('./options.js').Payload} Payload */
/** @typedef {{method: string, url: string, headers: Record<string, string>, body?: Payload | undefined}} Request */

/**
 * A response, read whole.
 *
 * @typedef {{status: number, headers: Headers, body: Uint8Array<ArrayBuffer>}} Answer
 */

/**
 * The outcome of a request: `told` is for resume, `lost` is what fetch threw if the request failed.
 *
 * @typedef {{told: object, answer?: Answer, lost?: unknown}} Outcome
 */

/**
 * How many bytes of a response to read: of one that the plugin reads, and of one that it does not.
 *
 * @typedef {{told: number, body?: number}} Limits
 */

const userAgent = `automatic-rostering/${version} (javascript)`;

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
    if (lost instanceof RosteringError) throw lost;
    return failed(lost);
  }
}

/**
 * @param {unknown} lost
 * @returns {Outcome}
 */
export const failed = (lost) => ({ told: { failed: reason(lost) }, lost });

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
    headers: hasUserAgent(headers) ? headers : { ...headers, 'User-Agent': userAgent },
    signal,
    redirect: 'manual',
    credentials: 'omit', // or fetch hides a 401 to a stream, which it would answer itself
    duplex: 'half', // for streams
  };
  if (body !== undefined) init.body = untyped(body);
  const response = await fetch(url, init);
  if (typeof response?.status !== 'number') throw new Mistake('the fetch of the options returned no Response');
  const { status } = response;
  if (status > 599) throw new RangeError(`${status} is not an HTTP status`);
  const most = isFinal(response) ? limits.body : undefined;
  const whole = await read(response, most === undefined ? limits.told : most + 1);
  if (most !== undefined && whole.length > most) throw tooLarge(most);
  const text = most === undefined ? { body: toText(whole) } : {};
  const retryAfter = response.headers.get('Retry-After');
  const told = { status, headers: retryAfter === null ? {} : { 'Retry-After': retryAfter }, ...text };
  return { told, answer: { status, headers: response.headers, body: whole } };
}

/**
 * Whether a response of the service is the result of its call.
 *
 * @param {{status: number}} response
 */
export const isFinal = ({ status }) => (status >= 200 && status < 300) || status === 304;

/** @param {Record<string, string>} headers */
const hasUserAgent = (headers) => Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent');

/** @param {number} most */
function tooLarge(most) {
  const message = `the response is larger than maxBody (${most} bytes): raise it or request less`;
  return new RosteringError({ code: 'network_error', message, retryable: false });
}

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
function reason(thrown) {
  const own = thrown?.message || !thrown?.code ? String(thrown) : `${thrown.name}: ${thrown.code}`;
  return thrown?.cause ? `${own}: ${reason(thrown.cause)}` : own;
}
