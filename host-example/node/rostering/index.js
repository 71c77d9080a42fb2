/**
 * A client of the Automatic Rostering service for JavaScript and TypeScript. Open one {@link Rostering} and share it:
 * the plugin in it caches the access token and renews it. A failed call throws a {@link RosteringError}.
 *
 * @module
 */

export { Rostering } from './client.js';
export { RosteringError } from './error.js';
export { MemoryStore } from './memory-store.js';
export { Token } from './token.js';

/** @typedef {import('./body.js').Body} Body */
/** @typedef {import('./client.js').Options} Options */
/** @typedef {import('./client.js').CallOptions} CallOptions */
/** @typedef {import('./client.js').Ids} Ids */
/** @typedef {import('./client.js').ServiceRequest} ServiceRequest */
/** @typedef {import('./client.js').TokenRequest} TokenRequest */
/** @typedef {import('./config.js').Config} Config */
/** @typedef {import('./config.js').Environment} Environment */
/** @typedef {import('./error.js').Code} Code */
/** @typedef {import('./http.js').Fetch} Fetch */
/** @typedef {import('./plugin.js').Logger} Logger */
/** @typedef {import('./plugin.js').Source} Source */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./token.js').TokenObject} TokenObject */
