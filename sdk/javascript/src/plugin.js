// Runs the plugin on the runtime's own WebAssembly. It imports nothing: a call is a function of a state and an input, which are
// written into its memory, and the result is read from there, as docs/contract.md describes.

import { compiled } from '#module';
import { isModule } from './check.js';
import { pluginFailed } from './error.js';
import { contract } from './version.js';

/** @import {Source, WasmModule} from './options.js' */

const mostMemory = 16 * 1024 * 1024; // bytes
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const parse = (/** @type {Uint8Array} */ text) => (text.length > 0 ? JSON.parse(decoder.decode(text)) : undefined);

/** A compiled plugin. All clients share its instance: a process has room for thousands of them, but not of memories. */
class File {
  #module;
  #exports = /** @type {any} */ (undefined);

  /** @param {WasmModule} module */
  constructor(module) {
    const [needed] = WebAssembly.Module.imports(module);
    if (needed) throw new Error(`it imports ${needed.name} from ${needed.module}`);
    this.#module = module;
  }

  /**
   * Calls an export with a state and an input.
   *
   * @param {string} name
   * @param {Uint8Array} state
   * @param {string} text
   * @returns {{failed: boolean, state: Uint8Array, output: Uint8Array, log: Uint8Array}} parts of its memory, which the next
   *   call overwrites
   * @throws {Error} if the export traps or its result is invalid
   */
  call(name, state, text) {
    this.#exports ??= new WebAssembly.Instance(this.#module).exports;
    const { memory, room, [name]: run } = this.#exports;
    const part = (/** @type {number} */ at, /** @type {number} */ length) => {
      if (at + length <= memory.buffer.byteLength) return new Uint8Array(memory.buffer, at, length);
      throw new RangeError('its result is not within its memory');
    };
    const input = encoder.encode(text);
    const written = part(room(state.length + input.length) >>> 0, state.length + input.length);
    written.set(state);
    written.set(input, state.length);
    const at = run(state.length, input.length) >>> 0;
    if (memory.buffer.byteLength > mostMemory) {
      this.#exports = undefined; // the next call has another instance, as a memory does not shrink
      throw new RangeError(`it needs more than ${mostMemory} bytes of memory`);
    }
    const { buffer, byteOffset } = part(at, 16);
    const numbers = new DataView(buffer, byteOffset);
    let end = at + 16;
    const next = (/** @type {number} */ length) => part((end += length) - length, length);
    return {
      failed: numbers.getUint32(0, true) !== 0,
      state: next(numbers.getUint32(4, true)),
      output: next(numbers.getUint32(8, true)),
      log: next(numbers.getUint32(12, true)),
    };
  }
}

/** The plugin of one client. */
export class Plugin {
  #file;

  /** What it knows, with the secret and the token. One from before undoes the calls since. @type {Uint8Array} */
  state = new Uint8Array();

  /** How often it ran, which tests read. */
  calls = 0;

  /** @param {File} file */
  constructor(file) {
    this.#file = file;
  }

  /**
   * Calls an export. It is synchronous, so calls never overlap. After a failure, the state is that from before.
   *
   * @param {string} name
   * @param {object} [input]
   * @param {(level: 'debug' | 'warn', line: string) => void} [log]
   * @returns {{failed: boolean, output: any}} its output, or the fields of an error
   * @throws {Error} if it fails without describing an error
   */
  call(name, input, log) {
    this.calls++;
    const { failed, ...result } = this.#file.call(name, this.state, input ? JSON.stringify(input) : '');
    const output = parse(result.output);
    if (failed && typeof output?.code !== 'string') throw new Error('its error is unknown');
    this.state = result.state.slice();
    const lines = decoder.decode(result.log).split('\n');
    for (const line of lines) if (line) log?.(line[0] === 'w' ? 'warn' : 'debug', line.slice(1)); // which may call, too
    return { failed, output };
  }
}

/** @type {WeakMap<WasmModule, File>} */
const files = new WeakMap();

/** Opens the plugin in the package, or another one. @param {Source} [source] */
export async function openPlugin(source) {
  try {
    const module = source === undefined ? await compiled() : moduleOf(source);
    const file = files.get(module) ?? new File(module);
    files.set(module, file);
    const plugin = new Plugin(file);
    const { contract: found } = plugin.call('version').output;
    if (found === contract) return plugin;
    throw new Error(`it has contract ${found}, not contract ${contract}: use the library from the plugin's release`);
  } catch (error) {
    throw pluginFailed(error, source && "; use rostering-core.wasm from this library's release");
  }
}

/** @param {any} source */
const moduleOf = (source) => (isModule(source) ? source : new WebAssembly.Module(source));
