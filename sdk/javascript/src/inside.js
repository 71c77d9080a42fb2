import { readFile } from 'node:fs/promises';

/** The plugin in this package. A Worker takes inside.workerd.js in place of this file. */
export const inside = new URL('rostering-nowasi.wasm', import.meta.url);

/** @param {string | URL} path */
export const readPlugin = (path) => readFile(path);
