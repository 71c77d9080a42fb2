// workerd compiles nothing at run time, and reads no files: it compiles what the Worker imports, when that is deployed.

import module from './rostering-nowasi.wasm';

export const inside = async () => module;

// A call ends the waits of others, each in a request of its own.
if (globalThis.Cloudflare?.compatibilityFlags.handle_cross_request_promise_resolution === false) {
  throw new Error('set compatibility_date to 2024-10-14 or later: workerd would continue a call in the wrong request');
}

/** @returns {Promise<never>} */
export const readPlugin = async () => {
  throw new TypeError('a Worker takes the plugin as a WebAssembly.Module: import its file');
};
