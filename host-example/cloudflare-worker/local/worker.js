import { Miniflare } from 'miniflare';
import { bundle, readSettings } from './bundle.js';

/**
 * @typedef {object} Options
 * @property {Record<string, string | number>} [bindings] The Worker's variables and secrets.
 * @property {string} [wasm] A file that takes the place of the one that the Worker imports.
 * @property {(level: string, line: string) => unknown} [log] Is given what the Worker logs.
 * @property {string} [kv] A folder for what is in KV. Without one, it ends with the Worker.
 * @property {import('miniflare').WorkerOptions} [front] A Worker that takes the requests instead and hands
 *   them on, to its service binding WORKER.
 */

/**
 * Runs a Worker in workerd, on a free port of loopback.
 *
 * @param {string} entry its file
 * @param {Options} [options]
 * @returns {Promise<{url: URL, end: () => Promise<void>}>}
 */
export async function startWorker(entry, { bindings = {}, wasm, log = () => {}, kv, front } = {}) {
  const { compatibility_date: compatibilityDate, kv_namespaces } = await readSettings();
  const worker = {
    name: 'worker',
    compatibilityDate,
    bindings,
    kvNamespaces: kv_namespaces.map(({ binding }) => binding),
    modules: await bundle(entry, wasm),
    stripCfConnectingIp: false, // true sends requests by way of another Worker, which puts in a header
  };
  const before = front ? [{ name: 'front', compatibilityDate, serviceBindings: { WORKER: 'worker' }, ...front }] : [];
  const miniflare = new Miniflare({
    host: '127.0.0.1',
    cf: false, // it would be fetched
    kvPersist: kv ?? false,
    handleStructuredLogs: (/** @type {{level: string, message: string}} */ { level, message }) =>
      void log(level, message),
    workers: [...before, worker],
  });
  try {
    return { url: await miniflare.ready, end: () => miniflare.dispose() };
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
}
