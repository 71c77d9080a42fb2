// What only some runtimes have. A Worker uses inside.workerd.js instead of this file.

import { isNode } from './body.js';
import { userAgent } from './version.js';

const { Deno, process } = /** @type {any} */ (globalThis);
const sending = 'undici:client:sendHeaders';
const unref = (/** @type {any} */ { request, socket }) => {
  if (request.path.endsWith('/connect/token') && String(request.headers).includes(userAgent)) socket.unref();
};

// A token request does not keep Node from exiting: calls that wait for it have timers, which do. An import of Node's module
// would have bundlers ask for a platform.
/** @template T @param {() => Promise<T>} send */
export async function inBackground(send) {
  const channels = isNode ? process.getBuiltinModule('node:diagnostics_channel') : undefined;
  channels?.subscribe(sending, unref);
  try {
    return await send();
  } finally {
    channels?.unsubscribe(sending, unref);
  }
}

/** Receives what continues after a call: nothing needs to. @type {import('./options.js').Options['waitUntil']} */
export const waitUntil = undefined;

/** Reads so much of a file at most. @param {string} file @param {number} most */
export function readStart(file, most) {
  const fs = process.getBuiltinModule('node:fs');
  const opened = fs.openSync(file);
  try {
    const bytes = new Uint8Array(most);
    let length = 0;
    for (let read = -1; read !== 0; length += read) read = fs.readSync(opened, bytes, length, most - length);
    return bytes.subarray(0, length);
  } finally {
    fs.closeSync(opened);
  }
}

/** Whether this is AWS Lambda. Deno would ask for a permission to read a variable. */
export const isLambda = () => {
  const variable = 'AWS_LAMBDA_FUNCTION_NAME';
  if (Deno && Deno.permissions.querySync({ name: 'env', variable }).state !== 'granted') return false;
  return Boolean(process?.env?.[variable]);
};
