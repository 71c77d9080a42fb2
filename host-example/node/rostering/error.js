/**
 * Why a call failed. What is not known is undefined.
 */
export class RosteringError extends Error {
  /**
   * For programs to act on: one of the codes in the plugin's contract.
   * @type {string}
   */
  code;
  /**
   * The same call may succeed later.
   * @type {boolean}
   */
  retryable;
  /**
   * The config key or input field at fault.
   * @type {string | undefined}
   */
  key;
  /**
   * The status of the answer at fault.
   * @type {number | undefined}
   */
  status;
  /**
   * The identity provider's error (RFC 6749, section 5.2).
   * @type {string | undefined}
   */
  oauthError;
  /** @type {string | undefined} */
  oauthErrorDescription;
  /**
   * For how many seconds the plugin will send no further token request.
   * @type {number | undefined}
   */
  retryAfter;
  /**
   * The service's answer, at most 64 KiB of it.
   * @type {string | undefined}
   */
  body;
  /**
   * There was more.
   * @type {boolean | undefined}
   */
  bodyTruncated;

  /**
   * @param {Record<string, any>} fields as the plugin names them
   * @param {unknown} [cause] why a request got no answer
   */
  constructor(fields, cause) {
    super(fields.message, cause === undefined ? undefined : { cause });
    this.name = 'RosteringError';
    this.code = fields.code;
    this.retryable = fields.retryable;
    this.key = fields.key;
    this.status = fields.status;
    this.oauthError = fields.oauth_error;
    this.oauthErrorDescription = fields.oauth_error_description;
    this.retryAfter = fields.retry_after;
    this.body = fields.body;
    this.bodyTruncated = fields.body_truncated;
  }
}

const fromPlugin = 'Plugin-originated error: ';
const fromHost = 'Call error: ';

/** @param {unknown} thrown by the SDK */
export function isPluginError(thrown) {
  return text(thrown).startsWith(fromPlugin);
}

/**
 * The error for what the SDK threw.
 *
 * @param {unknown} thrown
 * @param {unknown} [lost] why the last request of the call got no answer, if it got none
 * @returns {Error}
 */
export function explain(thrown, lost) {
  if (isPluginError(thrown)) {
    const fields = JSON.parse(text(thrown).slice(fromPlugin.length));
    return new RosteringError(fields, fields.code === 'network_error' ? lost : undefined);
  }
  if (text(thrown).startsWith(fromHost) || isTimeout(thrown)) {
    return new RosteringError({ code: 'network_error', message: text(thrown), retryable: true }, thrown);
  }
  return new Error(`the plugin failed: ${text(thrown)}`, { cause: thrown }); // retrying will not mend it
}

/**
 * What ends a call whose time is over.
 *
 * @param {any} thrown
 */
const isTimeout = (thrown) => thrown?.name === 'TimeoutError';

/** @param {any} thrown an Error; a worker's is a mere object with a message */
const text = (thrown) => String(thrown?.message ?? thrown);
