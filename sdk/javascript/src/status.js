/**
 * The state of a client's token, and what the client and its views have done since it opened. What is unknown is missing.
 *
 * @typedef {object} Status
 * @property {Date} [tokenExpiresAt]
 * @property {Date} [renewAt]
 * @property {boolean} renewing Whether a token is being requested.
 * @property {Date} [retryAt] When the backoff after a failed token request ends.
 * @property {{code: Code, message: string}} [error] Why that token request failed.
 * @property {number} calls How many calls of listJobs, sendRequest and getToken began.
 * @property {Partial<Record<Code, number>>} failedCalls How many of them failed, by the code. Canceled calls are not among them.
 * @property {number} serviceRequests How many requests with a token were sent, including those of withToken.
 * @property {number} tokenRequests
 * @property {number} failedTokenRequests Those that brought no usable token.
 * @property {number} refusedTokens How many tokens the service refused.
 * @property {number} storeFailures How many operations of the store failed.
 * @property {() => Record<string, any>} toJSON Returns the status as in all languages: with the contract's names, and times in Unix seconds.
 */

/** @typedef {import('./error.js').Code} Code */
/** Makes a status of its JSON. @param {object} json @returns {Status} */
export function toStatus(json) {
  const fields = Object.entries(json).map(([key, value]) => {
    const name = key.replace(/_[a-z]/g, (letter) => letter.slice(1).toUpperCase());
    return [name, key.endsWith('_at') ? new Date(value * 1000) : value];
  });
  return Object.defineProperty(Object.fromEntries(fields), 'toJSON', { value: () => ({ ...json }) });
}
