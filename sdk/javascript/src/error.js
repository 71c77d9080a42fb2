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
 * Why a call failed. Unknown fields are undefined. Contains neither secrets nor tokens.
 */
export class RosteringError extends Error {
  static {
    this.prototype.name = 'RosteringError';
  }

  /**
   * @param {ErrorFields} fields
   * @param {unknown} [cause] why a request failed
   */
  constructor(fields, cause) {
    super(fields.message, cause === undefined ? undefined : { cause });
    this.code = fields.code;
    /** The same call may succeed later. */
    this.retryable = fields.retryable;
    /** The config key or input field at fault. */
    this.key = fields.key;
    /** The status of the answer at fault. */
    this.status = fields.status;
    /** The identity provider's error (RFC 6749, section 5.2). */
    this.oauthError = fields.oauth_error;
    this.oauthErrorDescription = fields.oauth_error_description;
    /** In how many seconds a call may be worth repeating: the back-off, or what the service asked for. */
    this.retryAfter = fields.retry_after;
    /** The service's answer as text, at most 64 KiB of it. */
    this.body = fields.body;
    /** The answer was longer. */
    this.bodyTruncated = fields.body_truncated;
  }

  /** @override */
  toString() {
    return `${this.code}: ${this.message}`;
  }

  /** JSON would omit the message, as with every Error. */
  toJSON() {
    return { ...this, message: this.message };
  }
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
 * @param {unknown} [cause] why the last request of the call failed, if it did
 * @returns {Error}
 */
export function explain(thrown, cause) {
  const text = String(thrown?.message ?? thrown);
  if (!text.startsWith(fromPlugin)) return new Error(`the plugin failed: ${text}`, { cause: thrown });
  const fields = JSON.parse(text.slice(fromPlugin.length));
  return new RosteringError(fields, fields.code === 'network_error' ? cause : undefined);
}
