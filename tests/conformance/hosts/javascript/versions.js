import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/**
 * What runs: the runtime, its fetch where that has a version of its own, and the SDK.
 *
 * @param {string} sdk the name of its package
 */
export async function versions(sdk) {
  return [...runtime(process.versions), `${sdk} ${await installed(sdk)}`].join(', ');
}

/** @param {Record<string, string | undefined>} versions Deno's and Bun's have Node's as well. */
function runtime({ deno, bun, node, undici }) {
  if (deno) return [`Deno ${deno}`];
  if (bun) return [`Bun ${bun}`];
  return [`Node ${node}`, `undici ${undici}`];
}

/**
 * The version of a package that the program which was started finds. Its package.json is not among its exports.
 *
 * @param {string} name
 * @returns {Promise<string>}
 */
async function installed(name) {
  const folders = createRequire(process.argv[1] ?? '').resolve.paths(name) ?? [];
  const file = folders.map((folder) => join(folder, name, 'package.json')).find(existsSync);
  if (!file) throw new Error(`there is no package ${name}`);
  return JSON.parse(await readFile(file, 'utf8')).version;
}
