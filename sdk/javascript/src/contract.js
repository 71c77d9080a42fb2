import { contract } from './version.js';

const advice = `this library needs contract ${contract}: use the library from the plugin's release`;

/**
 * Refuses a plugin with another contract, and files that are not the plugin.
 *
 * @param {import('./plugin.js').Plugin} plugin
 */
export async function checkContract(plugin) {
  const found = await ask(plugin).catch((cause) => {
    throw new Error(`the file is not the plugin, or has contract 1: it has no export "version"; ${advice}`, { cause });
  });
  if (found !== contract) throw new Error(`the plugin has contract ${found}, and ${advice}`);
}

/**
 * @param {import('./plugin.js').Plugin} plugin
 * @returns {Promise<unknown>}
 */
async function ask(plugin) {
  return JSON.parse(new TextDecoder().decode(await plugin.call('version', ''))).contract;
}
