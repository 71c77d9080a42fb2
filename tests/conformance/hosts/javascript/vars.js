/**
 * Makes host functions that keep the vars of one plugin, as copies. In a worker, @extism/extism 1.0.3 loses those that were
 * set after the last request of a call: it keeps the memory of the block itself, which is detached when the block is
 * transferred to the worker.
 *
 * @returns {import('extism').ExtismPluginOptions['functions']}
 */
export function vars() {
  /** @type {Map<string, Uint8Array>} */
  const kept = new Map();
  return {
    'extism:host/env': {
      var_get(context, name) {
        const value = kept.get(read(context, name).text());
        return value ? context.store(value.slice()) : 0n;
      },
      var_set(context, name, value) {
        const key = read(context, name).text();
        if (value === 0n) kept.delete(key);
        else kept.set(key, read(context, value).bytes().slice());
      },
    },
  };
}

/**
 * @param {import('extism').CallContext} context
 * @param {bigint} address
 */
function read(context, address) {
  const block = context.read(address);
  if (!block) throw new Error(`there is nothing at ${address}`);
  return block;
}
