import { readFile } from 'node:fs/promises';

/** Reads the plugin in this package. A Worker uses inside.workerd.js instead of this file. */
export async function inside() {
  try {
    return await readFile(new URL('rostering-nowasi.wasm', import.meta.url));
  } catch (cause) {
    const advice = 'import automatic-rostering/rostering-nowasi.wasm as bytes (esbuild: --loader:.wasm=binary)';
    throw new Error(`cannot read the plugin: in a bundle, ${advice} and pass it as the option plugin`, { cause });
  }
}

/** Receives what continues after a call: nothing needs to. @type {import('./options.js').Options['waitUntil']} */
export const waitUntil = undefined;

/** @param {string | URL} path */
export const readPlugin = (path) => readFile(path);
