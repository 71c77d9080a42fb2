import { inside, readPlugin } from '#inside';
import { instantiate } from './extism-host.js';
import { contract } from './version.js';

/** @typedef {import('./options.js').Source} Source */

/** @typedef {(name: string, input: string | Uint8Array) => Uint8Array} Plugin calls an export: see extism-host.js */

/**
 * Opens the plugin of the options, or the one in the package.
 *
 * @param {Record<string, string>} config as the plugin reads it
 * @param {Pick<import('./options.js').Options, 'plugin' | 'logger'>} options
 * @returns {Promise<Plugin>}
 */
export async function openPlugin(config, { plugin: source, logger }) {
  const module = await compile(source ?? (await inside()));
  const plugin = instantiate(module, config, (level, line) => logger?.[level](line));
  checkContract(plugin);
  return plugin;
}

/** @param {Source} source */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  const isPath = typeof source === 'string' || source instanceof URL;
  const bytes = isPath ? await readPlugin(source) : source;
  try {
    return new WebAssembly.Module(/** @type {BufferSource} */ (bytes)); // in a millisecond; a promise would take longer
  } catch (cause) {
    throw new Error('the file is not the plugin: it is not WebAssembly', { cause });
  }
}

const advice = `this library needs contract ${contract}: use the library from the plugin's release`;

/** Refuses a plugin with another contract, and files that are not the plugin. @param {Plugin} plugin */
function checkContract(plugin) {
  let found;
  try {
    found = JSON.parse(new TextDecoder().decode(plugin('version', ''))).contract;
  } catch (cause) {
    throw new Error(`the file is not the plugin: it has no export "version"; ${advice}`, { cause });
  }
  if (found !== contract) throw new Error(`the plugin has contract ${found}, and ${advice}`);
}
