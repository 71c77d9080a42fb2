import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFile } from 'node:fs/promises';
import { userAgent } from './version.js';

const sending = 'undici:client:sendHeaders';
const unref = (/** @type {any} */ { request, socket }) => {
  if (request.path.endsWith('/connect/token') && String(request.headers).includes(userAgent)) socket.unref();
};

// A token request does not keep Node from exiting: calls that wait for it have timers, which do.
/** @template T @param {() => Promise<T>} send */
export async function inBackground(send) {
  subscribe(sending, unref);
  try {
    return await send();
  } finally {
    unsubscribe(sending, unref);
  }
}

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

/** Whether this is AWS Lambda. Deno would ask for a permission to read a variable. */
export const isLambda = () => {
  const { Deno, process } = /** @type {any} */ (globalThis);
  const variable = 'AWS_LAMBDA_FUNCTION_NAME';
  if (Deno && Deno.permissions.querySync({ name: 'env', variable }).state !== 'granted') return false;
  return Boolean(process.env[variable]);
};

/** @param {string | URL} path */
export const readPlugin = (path) => readFile(path);
