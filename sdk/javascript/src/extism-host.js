// Runs the plugin on the runtime's own WebAssembly, with the functions of extism:host/env that it imports.
//
// The plugin and the client exchange data in blocks, which live for one call. The upper 32 bits of an offset are the number
// of a block, from 1 on, the others a position in it. Each block is a DataView, which checks the bounds of reads and writes.
// If a function here throws, the call ends; the plugin stays usable.

const mostMemory = 16 * 1024 * 1024; // bytes: of the plugin's own memory, and of the blocks of a call
const mostVars = 1024 * 1024; // bytes
const blockCost = 64; // bytes for which even an empty block counts

/** @typedef {import('./options.js').Logger} Logger */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Makes an instance of the plugin, and returns the function that calls an export with an input and returns the output. It
 * is synchronous, so calls never overlap. It throws an error, which has `fields` if the plugin describes it.
 *
 * @param {import('./options.js').WasmModule} module
 * @param {Record<string, string>} config
 * @returns {(name: string, content: string | Uint8Array, logger?: Pick<Logger, 'debug' | 'warn'>) => Uint8Array}
 * @throws {Error} if the module imports something else
 */
export function instantiate(module, config) {
  let input = /** @type {DataView} */ (new DataView(new ArrayBuffer(0)));
  let output = /** @type {Uint8Array} */ (new Uint8Array());
  let error = '';
  let blocks = /** @type {(DataView | undefined)[]} */ ([]);
  let allocated = 0; // bytes in them
  const lines = /** @type {['debug' | 'warn', string][]} */ ([]); // to log after the call: the logger may make one, too
  const vars = /** @type {Map<string, Uint8Array>} */ (new Map());

  const allocate = (/** @type {number} */ length) => {
    allocated += blockCost + length;
    if (!(length >= 0 && allocated <= mostMemory)) throw new RangeError(`blocks of more than ${mostMemory} bytes`);
    return BigInt(blocks.push(new DataView(new ArrayBuffer(length))) - 1) << 32n;
  };
  const block = (/** @type {bigint} */ offset) => {
    const found = blocks[Math.floor(Number(offset) / 2 ** 32)];
    if (!found) throw new RangeError(`no block is at ${offset}`);
    return found;
  };
  const position = (/** @type {bigint} */ offset) => Number(offset) >>> 0;
  const bytes = (/** @type {bigint} */ offset) => {
    if (position(offset) !== 0) throw new RangeError(`no block begins at ${offset}`);
    return new Uint8Array(block(offset).buffer);
  };
  const text = (/** @type {bigint} */ offset) => decoder.decode(bytes(offset));
  const put = (/** @type {Uint8Array | undefined} */ content) => {
    if (!content) return 0n;
    const offset = allocate(content.length);
    bytes(offset).set(content);
    return offset;
  };
  const setVar = (/** @type {string} */ key, /** @type {Uint8Array} */ value) => {
    let total = value.length;
    for (const [name, { length }] of vars) if (name !== key) total += length;
    if (total > mostVars) throw new RangeError(`vars of more than ${mostVars} bytes`);
    vars.set(key, value.slice());
  };
  const refuse = () => {
    throw new Error('only direct calls let the plugin send requests');
  };

  /** @type {Record<string, (...args: any[]) => bigint | number | void>} */
  const functions = {
    alloc: (length) => allocate(Number(length)),
    length: (offset) => BigInt(bytes(offset).length),
    load_u8: (offset) => block(offset).getUint8(position(offset)),
    load_u64: (offset) => block(offset).getBigUint64(position(offset), true),
    store_u8: (offset, value) => block(offset).setUint8(position(offset), value),
    store_u64: (offset, value) => block(offset).setBigUint64(position(offset), value, true),
    input_length: () => BigInt(input.byteLength),
    input_load_u8: (at) => input.getUint8(Number(at)),
    input_load_u64: (at) => input.getBigUint64(Number(at), true),
    output_set: (from, length) => void (output = new Uint8Array(block(from).buffer, position(from), Number(length))),
    error_set: (offset) => void (error = text(offset)),
    var_get: (key) => put(vars.get(text(key))),
    var_set: (key, value) => void (value === 0n ? vars.delete(text(key)) : setVar(text(key), bytes(value))),
    config_get: (key) => put(Object.hasOwn(config, text(key)) ? encoder.encode(config[text(key)]) : undefined),
    log_debug: (line) => void lines.push(['debug', text(line)]),
    log_warn: (line) => void lines.push(['warn', text(line)]),
    http_request: refuse,
    http_status_code: refuse,
  };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    if (from === 'extism:host/env' && Object.hasOwn(functions, name)) continue;
    throw new Error(`it imports ${name} from ${from}`);
  }
  /** @type {any} */
  const exports = new WebAssembly.Instance(module, { 'extism:host/env': functions }).exports;
  exports._initialize?.();

  return function call(name, content, logger) {
    if (typeof exports[name] !== 'function') throw new Error(`there is no export "${name}"`);
    const { buffer, byteOffset, byteLength } = typeof content === 'string' ? encoder.encode(content) : content;
    input = new DataView(buffer, byteOffset, byteLength);
    [output, error, blocks, allocated] = [new Uint8Array(), '', [undefined], 0];
    try {
      const status = exports[name]();
      // WebAssembly cannot limit a memory that the module itself defines.
      if (exports.memory?.buffer.byteLength > mostMemory)
        throw new RangeError(`memory of more than ${mostMemory} bytes`);
      if (error) throw Object.assign(new Error('its error is unknown'), { fields: JSON.parse(error) });
      if (status !== 0) throw new Error(`${name} returned ${status}`);
      return output;
    } finally {
      blocks = [];
      for (const [level, line] of lines.splice(0)) logger?.[level](line);
    }
  };
}
