import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Describes what runs: the runtime, its fetch if that has its own version, and the SDK. */
export async function versions() {
  return [...runtime(process.versions), `extism ${await installed('extism')}`].join(', ');
}

/** @param {Record<string, string | undefined>} versions those of Deno and Bun include Node's */
function runtime({ deno, bun, node, undici }) {
  if (deno) return [`Deno ${deno}`];
  if (bun) return [`Bun ${bun}`];
  return [`Node ${node}`, `undici ${undici}`];
}

/**
 * Returns the version of a package as the program finds it. The package does not export its package.json.
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
