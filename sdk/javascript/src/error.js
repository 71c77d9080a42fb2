import { validHeaders } from './body.js';
import { kind } from './check.js';
import { fieldsByKey } from './config.js';

/**
 * A code of the contract, or `plugin_failed`, which only a bug or too little memory causes.
 *
 * @typedef {'invalid_input' | 'config_missing' | 'config_invalid' | 'clock_unusable' | 'token_endpoint_rejected'
 *   | 'token_endpoint_unavailable' | 'token_response_invalid' | 'token_mismatch' | 'service_unauthorized'
 *   | 'service_error' | 'network_error' | 'plugin_failed'} Code
 */

/**
 * An error as the plugin writes it.
 *
 * @typedef {{code: Code, message: string, retryable: boolean, key?: string, status?: number, oauth_error?: string,
 *   oauth_error_description?: string, retry_after?: number, body?: string, body_truncated?: boolean}} ErrorFields
 */

/**
 * The error of a failed call. Fields that do not apply are undefined. It has neither secrets nor tokens. If fetch threw, its cause
 * has the type and the code of what was thrown.
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
    /** The status of the response that caused it. */
    this.status = fields.status;
    /** The identity provider's error (RFC 6749, section 5.2). */
    this.oauthError = fields.oauth_error;
    this.oauthErrorDescription = fields.oauth_error_description;
    /** The seconds until a retry may succeed: the rest of the backoff, or what the service asked for. */
    this.retryAfter = fields.retry_after;
    /** The first 4 KiB of the body of the service's response, as a string. */
    this.body = fields.body;
    /** Whether the body was longer. */
    this.bodyTruncated = fields.body_truncated;
  }

  /** The headers of the service's response, at most 100 and 8 KiB. */
  get headers() {
    return this.#headers;
  }

  /** @override */
  toString() {
    return `${this.code}: ${this.message}`;
  }

  /** Returns the fields by the names of the contract. */
  toJSON() {
    return { ...this.#fields };
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
  return new RosteringError({ code: 'network_error', message, retryable: true });
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
  fields.message = inCallersWords(fields);
  if (fields.code === 'network_error' && /certificate/i.test(fields.message)) {
    fields.message += '; for your own certificate authority, set NODE_EXTRA_CA_CERTS (Deno: DENO_CERT)';
    fields.retryable = false;
  }
  const cause = thrown && causeOf(thrown, fields.message);
  return new RosteringError(fields, { cause, headers: headers && validHeaders(Object.entries(headers)) });
}

// The keys in which a message of the config finds fault: `set auth_url to …; client_id must …`.
const faults = new RegExp(`(?<=^|; )(?:set )?(${[...fieldsByKey.keys()].join('|')})\\b`, 'g');

/**
 * Returns the message with the fields as the caller writes them. Those with a fault are also at its end, with their variables:
 * `(authUrl, ROSTERING_AUTH_URL; clientId, ROSTERING_CLIENT_ID)`.
 *
 * @param {Pick<ErrorFields, 'code' | 'message' | 'key'>} fields
 */
export function inCallersWords({ code, message, key }) {
  const keys = new Set(code.startsWith('config_') ? Array.from(message.matchAll(faults), ([, name = '']) => name) : []);
  if (key) keys.add(key);
  const names = Array.from(keys, (each) => {
    const field = fieldsByKey.get(each) ?? each;
    return [field !== each && field, code !== 'invalid_input' && `ROSTERING_${each.toUpperCase()}`].filter(Boolean);
  });
  const spelled = message.replace(/\b[a-z]+_[a-z]+\b(?!=)/g, (name) => fieldsByKey.get(name) ?? name);
  return names.flat().length > 0 ? `${spelled} (${names.map((each) => each.join(', ')).join('; ')})` : spelled;
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

/** Describes why a request failed, for the plugin, which removes secrets. @param {unknown} thrown */
export const reason = (thrown) => Array.from(chain(thrown), ({ text }) => text).join(': ');

const withoutName = (/** @type {unknown} */ error) => String(error).replace(/^Error: /, '');

/** Makes a cause with the type and code of what fetch threw: the object may have the request. @param {unknown} thrown @param {string} text */
function causeOf(thrown, text) {
  const { name, code } = chain(thrown).at(-1) ?? {};
  const isName = (/** @type {unknown} */ value) => typeof value === 'string' && /^[A-Z]\w{1,50}$/.test(value);
  return Object.assign(new Error(text), isName(name) && { name }, isName(code) && { code });
}
