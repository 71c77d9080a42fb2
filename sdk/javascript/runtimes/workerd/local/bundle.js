import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** @typedef {{type: 'ESModule' | 'CompiledWasm', path: string, contents: string | Uint8Array}} Module */

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The settings in wrangler.jsonc, where each comment is on its own line.
 *
 * @returns {Promise<{compatibility_date: string, compatibility_flags: string[], alias: Record<string, string>,
 *   vars: Record<string, string>, durable_objects: {bindings: {name: string, class_name: string}[]}}>}
 */
export async function readSettings() {
  const text = await readFile(new URL('../wrangler.jsonc', import.meta.url), 'utf8');
  return JSON.parse(text.replace(/^\s*\/\/.*$/gm, ''));
}

/**
 * Bundles a Worker as wrangler does: one file of code, and the WebAssembly beside it, which workerd
 * compiles before the Worker starts. It cannot compile later.
 *
 * @param {string} entry
 * @param {string} [wasm] a file in place of the one that the Worker imports
 * @returns {Promise<Module[]>} the code comes first
 */
export async function bundle(entry, wasm) {
  const { alias } = await readSettings();
  /** @type {Module[]} */
  const modules = [];
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    alias,
    bundle: true,
    conditions: ['workerd', 'browser'],
    external: ['cloudflare:workers'],
    format: 'esm',
    legalComments: 'none',
    plugins: [besideTheCode((file) => modules.push(file), wasm)],
    target: 'es2024',
    write: false,
  });
  return [{ type: 'ESModule', path: 'worker.js', contents: outputFiles[0]?.text ?? '' }, ...modules];
}

/**
 * @param {(module: Module) => void} add
 * @param {string} [wasm]
 * @returns {import('esbuild').Plugin}
 */
function besideTheCode(add, wasm) {
  return {
    name: 'wasm',
    setup({ onResolve }) {
      onResolve({ filter: /\.wasm$/ }, async ({ path, resolveDir }) => {
        const name = `./${basename(path)}`;
        const file = wasm ?? new URL(path, `file://${resolveDir}/`);
        add({ type: 'CompiledWasm', path: basename(path), contents: await readFile(file) });
        return { path: name, external: true };
      });
    },
  };
}
