import { Miniflare } from 'miniflare';
import { bundle, readSettings } from './bundle.js';

/**
 * @typedef {object} Options
 * @property {Record<string, string | number>} [bindings] The Worker's variables and secrets.
 * @property {string} [wasm] A file in place of the one that the Worker imports.
 * @property {(level: string, line: string) => unknown} [log] Receives what the Worker logs.
 * @property {('kv' | 'durable-object')[]} [stores] What the Worker is bound to, in memory; nothing if not set.
 * @property {number} [isolates] How many isolates run it, with the same stores; 1 if not set.
 */

/**
 * @typedef {object} Running
 * @property {URL} url Of the first isolate.
 * @property {URL[]} urls Of each isolate.
 * @property {() => ReturnType<Miniflare['getKVNamespace']>} tokens Their KV.
 * @property {() => Promise<void>} end
 */

/**
 * Runs a Worker in workerd, on free ports of loopback.
 *
 * @param {string} entry its file
 * @param {Options} [options]
 * @returns {Promise<Running>}
 */
export async function startWorker(entry, { bindings = {}, wasm, log = () => {}, stores = [], isolates = 1 } = {}) {
  const settings = await readSettings();
  // Each Worker of a workerd has an isolate of its own.
  const names = Array.from({ length: isolates }, (_, i) => `worker-${i}`);
  const objects = settings.durable_objects.bindings.map(({ name, class_name: className }) => {
    return [name, { className, scriptName: 'worker-0', useSQLite: true }];
  });
  const worker = {
    compatibilityDate: settings.compatibility_date,
    compatibilityFlags: settings.compatibility_flags,
    bindings,
    kvNamespaces: stores.includes('kv') ? ['TOKENS'] : [],
    durableObjects: stores.includes('durable-object') ? Object.fromEntries(objects) : {},
    modules: await bundle(entry, wasm),
    stripCfConnectingIp: false, // true sends requests through another Worker, which adds a header
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  };
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    cf: false, // it would be fetched
    kvPersist: false,
    durableObjectsPersist: false,
    handleStructuredLogs: (/** @type {{level: string, message: string}} */ { level, message }) =>
      void log(level, message),
    workers: names.map((name) => ({ name, ...worker })),
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
