import base64 from './rostering-core.js';

/** The plugin, in base64 as bundlers lose other files than modules. It compiles while the program loads. */
const begun = (async () => WebAssembly.compile(decoded()))();
begun.catch(() => {}); // until a client opens

export async function compiled() {
  try {
    return await begun;
  } catch (cause) {
    const advice =
      'import automatic-rostering/rostering-core.wasm, for a bundler to compile, and pass it as the option plugin';
    throw new Error(`this runtime does not compile WebAssembly: ${advice}`, { cause });
  }
}

function decoded() {
  const { Buffer, Uint8Array } = /** @type {any} */ (globalThis);
  const slowly = () => Uint8Array.from(atob(base64), (/** @type {string} */ character) => character.charCodeAt(0));
  return Uint8Array.fromBase64?.(base64) ?? Buffer?.from(base64, 'base64') ?? slowly();
}
