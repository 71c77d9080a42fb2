/**
 * How the token of a client is, and what the client and its views have done since it opened. It is the same JSON in all languages,
 * without secrets. Times are in Unix seconds. What is unknown is missing.
 *
 * @typedef {object} Status
 * @property {number} [token_expires_at]
 * @property {number} [renew_at] When a call renews the token.
 * @property {boolean} renewing Whether a token is being requested.
 * @property {number} [retry_at] When the backoff after a failed token request ends.
 * @property {{code: Code, message: string}} [error] Why that token request failed.
 * @property {number} calls How many calls of listJobs, sendRequest and getToken began.
 * @property {Partial<Record<Code, number>>} failed_calls How many of them failed, by the code. A call that was canceled, also
 *   by `close`, is not among them.
 * @property {number} service_requests How many requests with a token were sent, including those of withToken.
 * @property {number} token_requests
 * @property {number} failed_token_requests Those that brought no usable token.
 * @property {number} refused_tokens How many tokens the service refused.
 * @property {number} store_failures How many operations of the store failed.
 */

/** @typedef {import('./error.js').Code} Code */

export {};
