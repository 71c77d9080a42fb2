/**
 * Calls the Automatic Rostering plugin from JavaScript and TypeScript. Open one {@link Rostering}
 * and share it: the access token lives in the plugin's instance, and the plugin renews it by
 * itself. What goes wrong is a {@link RosteringError}.
 *
 * @module
 */

export { Rostering } from './client.js';
export { RosteringError } from './error.js';
export { Token } from './token.js';

/** @typedef {import('./client.js').Options} Options */
/** @typedef {import('./client.js').DriverOptions} DriverOptions */
/** @typedef {import('./client.js').PoolOptions} PoolOptions */
/** @typedef {import('./client.js').JobsOptions} JobsOptions */
/** @typedef {import('./client.js').RequestOptions} RequestOptions */
/** @typedef {import('./client.js').TokenOptions} TokenOptions */
/** @typedef {import('./config.js').Config} Config */
/** @typedef {import('./token.js').TokenObject} TokenObject */
/** @typedef {import('./turns.js').TurnTaking} TurnTaking */
