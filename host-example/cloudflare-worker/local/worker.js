import { Miniflare } from 'miniflare';
import { bundle, readSettings } from './bundle.js';

/**
 * @typedef {object} Options
 * @property {Record<string, string | number>} [bindings] The Worker's variables and secrets.
 * @property {string} [wasm] A file that takes the place of the one that the Worker imports.
 * @property {(level: string, line: string) => unknown} [log] Is given what the Worker logs.
 * @property {boolean} [kv] Whether it has KV, in memory. It has, if not set.
 * @property {number} [isolates] How many isolates run it, with one KV; 1 if not set.
 * @property {import('miniflare').WorkerOptions} [front] A Worker that takes the requests instead and hands
 *   them on, to its service binding WORKER.
 */

/**
 * @typedef {object} Running
 * @property {URL} url Of the first isolate, or of the front.
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
export async function startWorker(entry, options = {}) {
  const { bindings = {}, wasm, log = () => {}, kv = true, isolates = 1, front } = options;
  const { compatibility_date: compatibilityDate, kv_namespaces } = await readSettings();
  const worker = {
    compatibilityDate,
    bindings,
    kvNamespaces: kv ? kv_namespaces.map(({ binding }) => binding) : [],
    modules: await bundle(entry, wasm),
    stripCfConnectingIp: false, // true sends requests by way of another Worker, which puts in a header
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  };
  // Each Worker of a workerd has an isolate of its own. A workerd for each would not do: those that share a
  // folder for KV lock each other out of it.
  const names = Array.from({ length: isolates }, (_, i) => `worker-${i}`);
  const before = front ? [{ name: 'front', compatibilityDate, serviceBindings: { WORKER: 'worker-0' }, ...front }] : [];
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    cf: false, // it would be fetched
    kvPersist: false,
    handleStructuredLogs: (/** @type {{level: string, message: string}} */ { level, message }) =>
      void log(level, message),
    workers: [...before, ...names.map((name) => ({ name, ...worker }))],
  });
  try {
    return {
      url: await miniflare.ready,
      urls: await Promise.all(names.map((name) => miniflare.unsafeGetDirectURL(name))),
      tokens: () => miniflare.getKVNamespace('TOKENS', 'worker-0'),
      end: () => miniflare.dispose(),
    };
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
}
