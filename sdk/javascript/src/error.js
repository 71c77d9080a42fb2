/**
 * Why a call failed: one of the codes in the plugin's contract.
 *
 * @typedef {'invalid_input' | 'config_missing' | 'config_invalid' | 'clock_unusable' | 'token_endpoint_rejected'
 *   | 'token_endpoint_unavailable' | 'token_response_invalid' | 'token_mismatch' | 'service_unauthorized'
 *   | 'service_error' | 'network_error'} Code
 */

/**
 * An error as the plugin writes it.
 *
 * @typedef {{code: Code, message: string, retryable: boolean, key?: string, status?: number, oauth_error?: string,
 *   oauth_error_description?: string, retry_after?: number, body?: string, body_truncated?: boolean}} ErrorFields
 */

/**
 * What is known of a failure: what fetch threw, and the service's response.
 *
 * @typedef {{lost?: unknown, answer?: {headers: Headers} | undefined}} Circumstances
 */

/**
 * Why a call failed. Unknown fields are undefined. Contains neither secrets nor tokens, except for what the service put
 * into the headers of its response, which are not printed.
 */
export class RosteringError extends Error {
  static {
    this.prototype.name = 'RosteringError';
  }

  #fields;
  #headers;

  /**
   * @param {ErrorFields} fields
   * @param {{cause?: unknown, headers?: Headers | undefined}} [known] `cause`: why a request failed
   */
  constructor(fields, { cause, headers } = {}) {
    super(describe(fields), cause === undefined ? undefined : { cause });
    this.#fields = fields;
    this.#headers = headers;
    this.code = fields.code;
    /** The same call may succeed later. */
    this.retryable = fields.retryable;
    /** The config key or input field that caused it, as the contract spells it. */
    this.key = fields.key;
    /** The status of the response that caused it. */
    this.status = fields.status;
    /** The identity provider's error (RFC 6749, section 5.2). */
    this.oauthError = fields.oauth_error;
    this.oauthErrorDescription = fields.oauth_error_description;
    /** In how many seconds a retry may succeed: the backoff, or what the service asked for. */
    this.retryAfter = fields.retry_after;
    /** The service's response as text, at most 64 KiB of it. */
    this.body = fields.body;
    /** The response was longer. */
    this.bodyTruncated = fields.body_truncated;
  }

  /** The headers of the service's response. */
  get headers() {
    return this.#headers;
  }

  /** @override */
  toString() {
    return `${this.code}: ${this.message}`;
  }

  /** The fields, as the contract names them. */
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
  return new RosteringError({ code: 'network_error', message: `timed out after ${ms} ms`, retryable: true });
}

const fromPlugin = 'Plugin-originated error: ';

/**
 * The error for what the SDK threw.
 *
 * @param {any} thrown an Error; from a worker, a plain object with a message
 * @param {Circumstances} [known]
 * @returns {unknown}
 */
export function explain(thrown, { lost, answer } = {}) {
  const text = String(thrown?.message ?? thrown);
  if (!text.startsWith(fromPlugin)) return new Error(`the plugin failed: ${text}`, { cause: thrown });
  const fields = JSON.parse(text.slice(fromPlugin.length));
  if (fields.code !== 'network_error') return new RosteringError(fields, { headers: answer?.headers });
  return isMistake(lost) ? lost : new RosteringError(fields, { cause: lost });
}

/** A mistake in the fetch that the options name. */
export class Mistake extends TypeError {}

const mistakes =
  /is not (a function|a constructor|defined|iterable|an object)|^Cannot (read|set|destructure)|undefined/i;

/**
 * Whether what fetch threw is a mistake in it: no retry would help. fetch itself throws a TypeError if a request fails.
 *
 * @param {unknown} thrown
 */
function isMistake(thrown) {
  if (thrown instanceof Mistake || thrown instanceof ReferenceError || thrown instanceof SyntaxError) return true;
  return thrown instanceof TypeError && thrown.cause === undefined && mistakes.test(thrown.message);
}
