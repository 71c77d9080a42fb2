import { subscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import { userAgent } from './version.js';

// A token request does not keep Node from exiting: calls that wait for it have timers, which do.
subscribe('undici:client:sendHeaders', (/** @type {any} */ { request, socket }) => {
  if (request.path.endsWith('/connect/token') && String(request.headers).includes(userAgent)) socket.unref();
});

/** Reads the plugin in this package. A Worker uses inside.workerd.js instead of this file. */
export async function inside() {
  try {
    return await readFile(new URL('rostering-nowasi.wasm', import.meta.url));
  } catch (cause) {
    const leave = "leave this package out of the bundle (Vite: ssr.external: ['automatic-rostering'])";
    const or =
      "or import automatic-rostering/rostering-nowasi.wasm (Bun: with { type: 'file' }; esbuild: --loader:.wasm=binary)";
    throw new Error(`cannot read the plugin: ${leave}, ${or} and pass it as the option plugin`, { cause });
  }
}

/** Receives what continues after a call: nothing needs to. @type {import('./options.js').Options['waitUntil']} */
export const waitUntil = undefined;

/** @param {string | URL} path */
export const readPlugin = (path) => readFile(path);
