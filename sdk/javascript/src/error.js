import { validHeaders } from './body.js';
import { kind } from './check.js';
import { fieldsByKey } from './rules.js';

/**
 * A code of the contract, or `plugin_failed`, which only a bug or too little memory causes.
 *
 * @typedef {'invalid_input' | 'config_missing' | 'config_invalid' | 'clock_unusable' | 'token_endpoint_rejected'
 *   | 'token_endpoint_unavailable' | 'token_response_invalid' | 'token_mismatch' | 'service_unauthorized'
 *   | 'service_error' | 'network_error' | 'plugin_failed'} Code
 */

/**
 * Why a request got no response. Deno and Workers do not tell most of them, which are `other` there.
 *
 * @typedef {'timeout' | 'name_resolution' | 'connection' | 'tls_certificate' | 'tls' | 'proxy' | 'protocol' | 'canceled'
 *   | 'other'} Reason
 */

/**
 * An error as the plugin writes it.
 *
 * @typedef {{code: Code, message: string, retryable: boolean, key?: string, problems?: Problem[], request?: FailedRequest,
 *   reason?: Reason, status?: number, oauth_error?: string, oauth_error_description?: string, retry_after?: number,
 *   body?: string, body_truncated?: boolean}} ErrorFields
 */

/** What is wrong with a key of the config, as the contract spells it. @typedef {{key: string, message: string}} Problem */

/** The request to the service; the path has no query. @typedef {{method: string, path: string}} FailedRequest */

/**
 * The error of a failed call. Fields that do not apply are undefined. It has neither secrets nor tokens. What loggers show of it
 * has neither the body nor the headers of a response. If fetch threw, its cause has the type and the code of what was thrown.
 */
export class RosteringError extends Error {
  static {
    this.prototype.name = 'RosteringError';
  }

  #fields;
  #headers;

  /**
   * @param {ErrorFields} fields
   * @param {{cause?: unknown, headers?: Headers | undefined}} [known]
   */
  constructor(fields, { cause, headers } = {}) {
    if (typeof fields !== 'object' || fields === null)
      throw new TypeError(`new RosteringError takes an object, not ${kind(fields)}: { code, message, retryable }`);
    super(describe(fields), cause === undefined ? undefined : { cause });
    this.#fields = fields;
    this.#headers = headers;
    /** Why the call failed. */
    this.code = fields.code;
    /** Whether the same call may succeed later. */
    this.retryable = fields.retryable;
    /** The config key or input field that caused it, as the contract spells it. */
    this.key = fields.key;
    /** All that is missing or invalid in the config. */
    this.problems = fields.problems;
    /** The request to the service that failed. */
    this.request = fields.request;
    /** Why there was no response. */
    this.reason = fields.reason;
    /** The status of the response that caused it. */
    this.status = fields.status;
    /** The identity provider's error (RFC 6749, section 5.2). */
    this.oauthError = fields.oauth_error;
    this.oauthErrorDescription = fields.oauth_error_description;
    /** The seconds until a retry may succeed: the rest of the backoff, or what the service asked for. */
    this.retryAfter = fields.retry_after;
  }

  /** The first 4 KiB of the body of the service's response, as a string. */
  get body() {
    return this.#fields.body;
  }

  /** Whether the body was longer. */
  get bodyTruncated() {
    return this.#fields.body_truncated;
  }

  /** The headers of the service's response, at most 100 and 8 KiB. */
  get headers() {
    return this.#headers;
  }

  /** @override */
  toString() {
    return `${this.code}: ${this.message}`;
  }

  /** Returns the fields by the names of the contract, for logs: without the body and the headers of the response. */
  toJSON() {
    const fields = { ...this.#fields };
    delete fields.body;
    delete fields.body_truncated;
    return fields;
  }

  /** Returns all fields by the names of the contract, which may have personal data. */
  full() {
    return { ...this.#fields, headers: this.#headers && Object.fromEntries(this.#headers) };
  }
}

/** @param {ErrorFields} fields */
function describe({ message, status, oauth_error, oauth_error_description }) {
  const oauth = [oauth_error, oauth_error_description].filter(Boolean).join(': ');
  const details = [status ? `status ${status}` : '', oauth].filter(Boolean).join(', ');
  return details ? `${message} (${details})` : message;
}

/** @param {number} ms */
export function timedOut(ms) {
  const message = `timed out after ${ms} ms: retry, or raise timeoutMs`;
  return new RosteringError({ code: 'network_error', message, retryable: true, reason: 'timeout' });
}

/** Makes the error of a plugin that cannot be opened, or ended a call without describing an error. @param {unknown} cause */
export function pluginFailed(cause, advice = '') {
  const why = cause instanceof SyntaxError ? 'its output is not JSON' : withoutName(cause); // and not shown
  return new RosteringError({ code: 'plugin_failed', message: `the plugin failed: ${why}${advice}`, retryable: false });
}

/**
 * Makes the error for the caller of what the plugin wrote, without secrets.
 *
 * @param {ErrorFields & {headers?: Record<string, string | string[]>}} written
 * @param {unknown} [thrown] by fetch
 */
export function toError({ headers, ...fields }, thrown) {
  fields.message += callersNames(fields);
  if (fields.reason === 'tls_certificate')
    fields.message += '; for your own certificate authority, set NODE_EXTRA_CA_CERTS';
  const cause = thrown && causeOf(thrown, fields.message);
  return new RosteringError(fields, { cause, headers: headers && validHeaders(Object.entries(headers)) });
}

/**
 * Returns the names of the fields as the caller writes them, with their variables, for the end of the message:
 * ` (authUrl, ROSTERING_AUTH_URL; clientId, ROSTERING_CLIENT_ID)`.
 *
 * @param {ErrorFields} fields
 */
function callersNames({ code, key, problems }) {
  const names = (problems ?? (key ? [{ key }] : [])).map(({ key }) => {
    const field = fieldsByKey.get(key) ?? key;
    return [field !== key && field, code !== 'invalid_input' && `ROSTERING_${key.toUpperCase()}`].filter(Boolean);
  });
  return names.flat().length > 0 ? ` (${names.map((each) => each.join(', ')).join('; ')})` : '';
}

/** Describes what fetch or a store threw, its cause, and so on. @param {any} thrown */
function chain(thrown) {
  const all = /** @type {{text: string, name?: unknown, code?: unknown}[]} */ ([]);
  try {
    for (let next = thrown; all.length === 0 || (next && all.length < 5); next = next.cause) {
      const { name, code, message } = Object(next);
      // An error for several IP addresses has only a code. That of a proxy quotes it.
      const isBare = code !== undefined && (!message || code === 'ERR_PROXY_TUNNEL');
      all.push({ text: isBare ? `${name}: ${code}` : withoutName(next), name, code });
    }
  } catch {
    all.push({ text: 'what was thrown cannot be printed' });
  }
  return all;
}

/** The names of errors and their codes, in Node and Bun, by the reason. @type {[Reason, RegExp][]} */
const reasons = [
  ['timeout', /^TimeoutError$|TIMEOUT|TIMEDOUT/],
  ['canceled', /^AbortError$/],
  ['name_resolution', /^(ENOTFOUND|EAI_)/],
  ['proxy', /^ERR_PROXY/],
  ['tls', /^(EPROTO$|ERR_SSL_)/],
  ['tls_certificate', /CERT|SELF_SIGNED|^UNABLE_TO_|^CRL_|^INVALID_(CA|PURPOSE)$|^HOSTNAME_MISMATCH$/],
  ['connection', /^(ECONN|EPIPE$|E(HOST|NET)(UNREACH|DOWN)$|UND_ERR_SOCKET$|ConnectionRefused$|ConnectionClosed$)/],
  [
    'protocol',
    /^(HPE_|HTTPParserError$|Z_|Zlib|Brotli|UND_ERR_(HEADERS|RES|REQ)|InvalidHTTP|Malformed_HTTP|UnrequestedUpgrade$)/,
  ],
];

const mostText = 256 * 1024; // characters: a token in any encoding is shorter

/**
 * Describes why a request failed, for the plugin, which removes secrets from the text.
 *
 * @param {unknown} thrown
 * @returns {{failed: string, reason: Reason}}
 */
export function failure(thrown) {
  const all = chain(thrown);
  const marks = all.flatMap(({ name, code }) => [code, name]).filter((mark) => typeof mark === 'string');
  const found = reasons.find(([, pattern]) => marks.some((mark) => pattern.test(/** @type {string} */ (mark))));
  const text = all.map((each) => each.text).join(': ');
  // The plugin takes no lone surrogate, and not megabytes. A token that was cut would not be found.
  return { failed: text.slice(0, mostText).replace(/\p{Surrogate}/gu, '\ufffd'), reason: found?.[0] ?? 'other' };
}

const withoutName = (/** @type {any} */ error) =>
  Object(error).name === 'Error' && error.message ? error.message : String(error);

/** Makes a cause with the type and code of what fetch threw: the object may have the request. @param {unknown} thrown @param {string} text */
function causeOf(thrown, text) {
  const { name, code } = chain(thrown).at(-1) ?? {};
  const isName = (/** @type {unknown} */ value) => typeof value === 'string' && /^[A-Z]\w{1,50}$/.test(value);
  return Object.assign(new Error(text), isName(name) && { name }, isName(code) && { code });
}
