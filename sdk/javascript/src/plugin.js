import { inside, readPlugin } from '#inside';
import { pluginFailed } from './error.js';
import { instantiate } from './extism-host.js';
import { contract } from './version.js';

/** @typedef {ReturnType<typeof instantiate>} Plugin calls an export */

const decoder = new TextDecoder();

/** @type {import('./options.js').WasmModule | undefined} the plugin of the package, compiled once for the process, and kept */
let kept;

/**
 * Opens a plugin, or the one in the package.
 *
 * @param {Record<string, string>} config as the plugin reads it
 * @param {Pick<import('./options.js').Options, 'plugin' | 'logger'>} options
 * @returns {Promise<Plugin>}
 */
export async function openPlugin(config, { plugin: source, logger }) {
  try {
    const module = source === undefined ? (kept ??= await compile(await inside())) : await compile(source);
    const plugin = instantiate(module, config);
    const { contract: found } = JSON.parse(decoder.decode(plugin('version', '', logger)));
    if (found === contract) return plugin;
    throw new Error(`it has contract ${found}, not contract ${contract}: use the library from the plugin's release`);
  } catch (error) {
    if (error instanceof TypeError) throw error; // the option is wrong for a Worker
    throw pluginFailed(error, "; use rostering-nowasi.wasm from this library's release");
  }
}

/** @param {import('./options.js').Source} source */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  const isPath = typeof source === 'string' || source instanceof URL;
  const bytes = isPath ? await readPlugin(source) : source;
  return new WebAssembly.Module(/** @type {BufferSource} */ (bytes)); // in a millisecond; a promise would take longer
}
