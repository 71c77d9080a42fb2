// workerd compiles nothing at run time and reads no files: what the Worker imports is compiled when it is deployed.

import * as workers from 'cloudflare:workers';
import module from './rostering-nowasi.wasm';

export const inside = async () => module;

/** Has workerd continue what continues after the response to the request that is under way. */
export const { waitUntil } = workers;

// Calls wait for the flow that another request began, and one may end it, or close the others.
if (globalThis.Cloudflare?.compatibilityFlags.handle_cross_request_promise_resolution === false) {
  throw new Error('set compatibility_date to 2024-10-14 or later: workerd would continue a call in the wrong request');
}

export const isLambda = () => false;

/** @template T @param {() => Promise<T>} send */
export const inBackground = (send) => send();

/** @returns {Promise<never>} */
export const readPlugin = async () => {
  throw new TypeError('in a Worker, the option plugin must be a WebAssembly.Module: import its file');
};
