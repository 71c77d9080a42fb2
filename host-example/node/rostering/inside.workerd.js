// workerd compiles nothing at run time, and reads no files: it compiles what the Worker imports, when that is deployed.

import inside from './rostering-nowasi.wasm';

export { inside };

/** @returns {Promise<never>} */
export const readPlugin = async () => {
  throw new TypeError('a Worker takes the plugin as a WebAssembly.Module: import its file');
};
