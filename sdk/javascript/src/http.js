import { read } from './body.js';
import { unlessAborted } from './deadline.js';
import { Mistake, RosteringError } from './error.js';
import { version } from './version.js';

/** @typedef {import('./options.js').Fetch} Fetch */
/** @typedef {import('./options.js').Payload} Payload */
/** @typedef {{method: string, url: string, headers: Record<string, string>, body?: Payload | undefined}} Request */

/**
 * A response whose body has been read.
 *
 * @typedef {{status: number, headers: Headers, body: Uint8Array<ArrayBuffer>}} WholeResponse
 */

/**
 * The outcome of a request: `result` is for resume, `cause` is what fetch threw if the request failed.
 *
 * @typedef {{result: object, response?: WholeResponse, cause?: unknown}} Outcome
 */

/**
 * How many bytes of a response to read: of one for the plugin, and of one that is the result of the call.
 *
 * @typedef {{plugin: number, final?: number}} Limits
 */

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const userAgent = `automatic-rostering/${version} (javascript)`;

/**
 * Sends a request. Follows no redirect, because that could forward the secret to another host.
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
  } catch (cause) {
    if (cause instanceof RosteringError) throw cause;
    return failed(cause);
  }
}

/**
 * The outcome of a request that failed.
 *
 * @param {unknown} cause
 * @returns {Outcome}
 */
export const failed = (cause) => ({ result: { failed: reason(cause) }, cause });

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
    credentials: 'omit', // or fetch hides a 401 to a stream, for which it would ask for credentials
    duplex: 'half', // for streams
  };
  if (body !== undefined) init.body = untyped(body);
  const response = await fetch(url, init);
  if (typeof response?.status !== 'number') throw new Mistake('the fetch of the options returned no Response');
  const { status } = response;
  if (status > 599) throw new RangeError(`${status} is not an HTTP status`);
  const most = isFinal(response) ? limits.final : undefined;
  const whole = await read(response, most === undefined ? limits.plugin : most + 1);
  if (most !== undefined && whole.length > most) throw tooLarge(most);
  const retryAfter = response.headers.get('Retry-After');
  const result = {
    status,
    headers: retryAfter === null ? {} : { 'Retry-After': retryAfter },
    ...(most === undefined && { body: decoder.decode(whole) }),
  };
  return { result, response: { status, headers: response.headers, body: whole } };
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
  const message = `the response is larger than maxBody (${most} bytes): raise it, or request less`;
  return new RosteringError({ code: 'network_error', message, retryable: false });
}

/**
 * Keeps fetch from declaring a string as `text/plain`.
 *
 * @param {Payload} body
 */
const untyped = (body) => (typeof body === 'string' ? new TextEncoder().encode(body) : body);

/**
 * Describes why a request failed. The error that fetch throws has a cause, which says more; one for several IP addresses
 * has only a code.
 *
 * @param {any} thrown
 * @returns {string}
 */
function reason(thrown) {
  const own = thrown?.message || !thrown?.code ? String(thrown) : `${thrown.name}: ${thrown.code}`;
  return thrown?.cause ? `${own}: ${reason(thrown.cause)}` : own;
}
