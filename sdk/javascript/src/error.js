import { cleanCause, withoutSecrets } from './clean.js';

/**
 * A code of the contract.
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
 * The error of a failed call. Fields that do not apply are undefined. It has neither secrets nor tokens, its cause neither.
 */
export class RosteringError extends Error {
  static {
    this.prototype.name = 'RosteringError';
  }

  #fields;
  #headers;

  /**
   * @param {ErrorFields} fields
   * @param {{cause?: unknown, headers?: Headers | undefined}} [known] `cause`: what fetch threw
   */
  constructor(fields, { cause, headers } = {}) {
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

  /** The headers of the service's response, without those that repeat a token or the secret. */
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

/**
 * Makes the error for the caller of what the plugin wrote.
 *
 * @param {ErrorFields} fields
 * @param {{cause?: unknown, headers?: Headers | undefined}} [known] what fetch threw, or the response
 * @param {string[]} [secrets] that the headers may repeat
 */
export function toError(fields, { cause, headers } = {}, secrets = []) {
  const known = { cause: cleanCause(cause), headers: headers && withoutSecrets(headers, secrets) };
  if (fields.code !== 'network_error' || !/certificate/i.test(fields.message)) {
    return new RosteringError(withNames(fields), known);
  }
  const message = `${fields.message}; for your own certificate authority, set NODE_EXTRA_CA_CERTS (Deno: DENO_CERT)`;
  return new RosteringError({ ...fields, message, retryable: false }, known);
}

/**
 * Appends to the message what the caller calls the field that caused the error: `authUrl, ROSTERING_AUTH_URL`.
 *
 * @param {ErrorFields} fields
 * @returns {ErrorFields}
 */
function withNames(fields) {
  const { code, message, key = '' } = fields;
  const name = key.replace(/_[a-z]/g, (letter) => letter.slice(1).toUpperCase());
  const names = name === key ? [] : [name];
  if (key && code !== 'invalid_input') names.push(`ROSTERING_${key.toUpperCase()}`);
  return names.length > 0 ? { ...fields, message: `${message} (${names.join(', ')})` } : fields;
}
