// Runs a Worker in workerd on this machine, for run.js and tests. Wrangler deploys one.

import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';

/**
 * @typedef {object} Options
 * @property {Record<string, string | undefined>} [bindings] The Worker's variables and secrets.
 * @property {string} [wasm] A file that replaces the plugin that the Worker imports.
 * @property {(level: string, line: string) => unknown} [log] Receives what the Worker logs.
 * @property {('kv' | 'durable-object')[]} [stores] The bindings of the Worker, in memory (default: none).
 * @property {number} [isolates] How many isolates run it, with the same stores (default: 1).
 * @property {number} [port] The port of the first isolate (default: a free one).
 */

/**
 * Runs a Worker in workerd, on loopback.
 *
 * @param {URL} entry its file
 * @param {Options} [options]
 * @returns its URL and those of all isolates, their KV namespace, and what ends it
 */
export async function startWorker(entry, options = {}) {
  const { bindings = {}, wasm, log = () => {}, stores = [], isolates = 1, port = 0 } = options;
  const text = await readFile(new URL('wrangler.jsonc', import.meta.url), 'utf8');
  const settings = JSON.parse(text.replaceAll(/^\/\/.*/gm, ''));
  // Each Worker in a workerd has its own isolate.
  const names = Array.from({ length: isolates }, (_, i) => `worker-${i}`);
  const tokenStore = { className: 'StoreEntry', scriptName: 'worker-0', useSQLite: true };
  const worker = {
    compatibilityDate: settings.compatibility_date,
    compatibilityFlags: settings.compatibility_flags,
    bindings: Object.fromEntries(Object.entries(bindings).filter(([, value]) => value !== undefined)),
    kvNamespaces: stores.includes('kv') ? ['TOKENS'] : [],
    durableObjects: stores.includes('durable-object') ? { TOKEN_STORE: tokenStore } : {},
    modules: await bundle(entry, wasm),
    stripCfConnectingIp: false, // true would send requests through another Worker, which adds a header
  };
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    cf: false, // true would download it
    kvPersist: false,
    durableObjectsPersist: false,
    handleStructuredLogs: (/** @type {{level: string, message: string}} */ { level, message }) =>
      void log(level, message),
    workers: names.map((name, i) => {
      return { name, ...worker, unsafeDirectSockets: [{ host: '127.0.0.1', port: i === 0 ? port : 0 }] };
    }),
  });
  try {
    await miniflare.ready;
    const urls = await Promise.all(names.map((name) => miniflare.unsafeGetDirectURL(name)));
    return {
      url: /** @type {URL} */ (urls[0]),
      urls,
      tokens: () => miniflare.getKVNamespace('TOKENS', 'worker-0'),
      end: () => miniflare.dispose(),
    };
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
}

/**
 * Bundles a Worker as wrangler does: one file of code, and the WebAssembly next to it, which workerd compiles before the
 * Worker starts. It cannot compile later.
 *
 * @param {URL} entry
 * @param {string} [wasm]
 * @returns {Promise<{type: string, path: string, contents: string | Uint8Array}[]>} the code comes first
 */
async function bundle(entry, wasm) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(entry)],
    assetNames: '[name]',
    bundle: true,
    conditions: ['workerd', 'browser'],
    external: ['cloudflare:workers'],
    format: 'esm',
    legalComments: 'none',
    loader: { '.wasm': 'copy' },
    logLevel: 'silent',
    outdir: '/',
    target: 'es2024',
    write: false,
  });
  const modules = outputFiles.map(async ({ path, contents, text }) => {
    const name = basename(path);
    if (!path.endsWith('.wasm')) return { type: 'ESModule', path: name, contents: text };
    return { type: 'CompiledWasm', path: name, contents: wasm ? await readFile(wasm) : contents };
  });
  return (await Promise.all(modules)).reverse();
}
