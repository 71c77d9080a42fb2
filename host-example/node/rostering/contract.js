import { contract } from './version.js';

const longest = 1024; // bytes

/**
 * Refuses a file that is not a build of the plugin, or one of another contract. Each build has both in a section.
 *
 * @param {WebAssembly.Module} module
 */
export function checkContract(module) {
  const found = read(WebAssembly.Module.customSections(module, 'rostering')[0]);
  if (typeof found !== 'number') throw notABuild();
  if (found !== contract) {
    const advice = "take the library of the plugin's release";
    throw new Error(`the plugin has contract ${found}, and this library needs ${contract}: ${advice}`);
  }
}

/** @param {unknown} [cause] */
export function notABuild(cause) {
  return new Error('the file is not a build of the plugin: it has no section "rostering"', { cause });
}

/**
 * @param {ArrayBuffer | undefined} section
 * @returns {unknown}
 */
function read(section) {
  if (!section || section.byteLength > longest) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(section)).contract;
  } catch {
    return undefined;
  }
}
