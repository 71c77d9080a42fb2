import base64 from './rostering-core.js';

/** @type {import('./options.js').WasmModule | undefined} */
let module;

/** Compiles the plugin, once for the process. It is in base64, as bundlers lose other files than modules. */
export function compiled() {
  try {
    return (module ??= new WebAssembly.Module(decoded()));
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
