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
export { contract, version } from './version.js';
export { withToken } from './with-token.js';

/** @typedef {import('./options.js').Body} Body */
/** @typedef {import('./options.js').Options} Options */
/** @typedef {import('./options.js').CallOptions} CallOptions */
/** @typedef {import('./options.js').Ids} Ids */
/** @typedef {import('./options.js').ServiceRequest} ServiceRequest */
/** @typedef {import('./options.js').TokenRequest} TokenRequest */
/** @typedef {import('./config.js').Config} Config */
/** @typedef {import('./config.js').Environment} Environment */
/** @typedef {import('./error.js').Code} Code */
/** @typedef {import('./options.js').Fetch} Fetch */
/** @typedef {import('./options.js').Logger} Logger */
/** @typedef {import('./options.js').Payload} Payload */
/** @typedef {import('./options.js').SdkOptions} SdkOptions */
/** @typedef {import('./options.js').SdkPlugin} SdkPlugin */
/** @typedef {import('./options.js').Source} Source */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./token.js').TokenObject} TokenObject */
/** @typedef {import('./options.js').WasmModule} WasmModule */
/** @typedef {import('./error.js').ErrorFields} ErrorFields */
