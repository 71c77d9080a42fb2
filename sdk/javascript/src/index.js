/**
 * A client for the Automatic Rostering service. Open one {@link Client} and share it: it caches the access token and renews
 * it. A failed call throws a {@link RosteringError}.
 *
 * @module
 */

export { Client } from './client.js';
export { configFromEnv } from './config.js';
export { RosteringError } from './error.js';
export { MemoryStore } from './memory-store.js';
export * from './options.js';
export { retry } from './retry.js';
export * from './store.js';
export { Token } from './token.js';
export { contract, version } from './version.js';
export { withToken } from './with-token.js';

/** @typedef {import('./client.js').JobsClient} JobsClient */
/** @typedef {import('./config.js').Config} Config */
/** @typedef {import('./config.js').Environment} Environment */
/** @typedef {import('./error.js').Code} Code */
/** @typedef {import('./error.js').ErrorFields} ErrorFields */
/** @typedef {import('./error.js').FailedRequest} FailedRequest */
/** @typedef {import('./error.js').Problem} Problem */
/** @typedef {import('./error.js').Reason} Reason */
/** @typedef {import('./retry.js').RetryOptions} RetryOptions */
/** @typedef {import('./status.js').Status} Status */
/** @typedef {import('./token.js').TokenObject} TokenObject */
/** @typedef {import('./with-token.js').WebFetch} WebFetch */
