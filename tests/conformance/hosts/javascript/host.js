// The host adapter for Extism's JavaScript SDK on Node, Deno and Bun, and for the library: see
// tests/conformance/protocol/protocol.go.
//
//   node host.js [--worker]
//
// Without --worker, the SDK runs the plugin in the foreground, unless it needs HTTP and the runtime has no JSPI. With it, the
// SDK gets a fetch that does not throw: see answer-failures.js.

import { createInterface } from 'node:readline';
import { createPlugin } from 'extism';
import { Calls } from '../../../../sdk/javascript/src/calls.js';
import { RosteringError } from '../../../../sdk/javascript/src/index.js';
import { answerFailures } from './answer-failures.js';
import { httpStore } from './http-store.js';
import { versions } from './versions.js';

/** @typedef {{id?: number, op: string, instance: string, wasm: string, wasi?: boolean, config?: Record<string, string>,
 *   allowed_hosts?: string[], client?: boolean, store?: string, export: string, input?: string, body?: string,
 *   timeout_ms?: number, target?: number}} Request */
/** @typedef {{level: string, line: string}} Line */
/** @typedef {{output?: string, status?: number, error?: string, trap?: string, canceled?: true, logs?: Line[],
 *   versions?: string}} Reply */

/**
 * @typedef {object} Instance
 * @property {(name: string, input: Uint8Array) => Promise<Uint8Array | undefined>} call
 * @property {() => Promise<void>} close
 * @property {Calls} [calls]
 * @property {{now: number}} [time]
 * @property {Line[]} logs
 */

const isWorker = process.argv.includes('--worker');

/** @type {Map<string, Instance>} */
const instances = new Map();

/** @type {Map<number | undefined, AbortController>} */
const drives = new Map();

/**
 * @param {Request} request
 * @returns {Promise<Reply>}
 */
async function handle(request) {
  switch (request.op) {
    case 'versions':
      return { versions: await versions() };
    case 'create':
      instances.set(request.instance, await create(request));
      return {};
    case 'call':
      return logged(request, ({ call }) => call(request.export, decode(request.input)).then(success, failure));
    case 'drive':
      return logged(request, (instance) => drive(instance, request));
    case 'cancel':
      drives.get(request.target)?.abort();
      return {};
    case 'close':
      await named(request.instance).close();
      instances.delete(request.instance);
      return {};
  }
  throw new Error(`no operation ${request.op}`);
}

/** @param {string} name */
function named(name) {
  const instance = instances.get(name);
  if (!instance) throw new Error(`no instance ${name}`);
  return instance;
}

/**
 * @param {Request} request
 * @returns {Promise<Instance>}
 */
async function create({ wasm, wasi = false, config = {}, allowed_hosts = [], client, store }) {
  /** @type {Line[]} */
  const logs = [];
  const at = (/** @type {string} */ level) => (/** @type {string} */ line) => void logs.push({ level, line });
  const logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  if (client) {
    const time = { now: 0 };
    const clock = () => time.now * 1000;
    const calls = await Calls.open(config, { clock, plugin: wasm, logger, ...(store && { store: httpStore(store) }) });
    return { calls, time, logs, call: async (name, input) => calls.call(name, input), close: () => calls.close() };
  }
  const plugin = await createPlugin(wasm, {
    useWasi: wasi,
    runInWorker: isWorker || (allowed_hosts.length > 0 && !('Suspending' in WebAssembly)),
    config,
    allowedHosts: allowed_hosts,
    logger: /** @type {Console} */ (logger),
    logLevel: 'debug',
    ...(isWorker && { fetch: answerFailures(fetch) }),
    // Deno's workers do not accept the arguments that the SDK passes to Node's.
    ...('Deno' in globalThis && { nodeWorkerArgs: { execArgv: [] } }),
  });
  const call = async (/** @type {string} */ name, /** @type {Uint8Array} */ input) =>
    (await plugin.call(name, input))?.bytes();
  return { logs, call, close: () => plugin.close() };
}

/**
 * @param {Request} request
 * @param {(instance: Instance) => Promise<Reply>} work
 */
async function logged({ instance: name }, work) {
  const instance = named(name);
  instance.logs.length = 0;
  return { ...(await work(instance)), logs: instance.logs.slice() };
}

/**
 * @param {Instance} instance
 * @param {Request} request
 * @returns {Promise<Reply>}
 */
async function drive({ calls, time }, { id, export: name, input, body, timeout_ms: timeoutMs }) {
  if (!calls) throw new Error('the instance is no client');
  const { now, ...rest } = JSON.parse(Buffer.from(decode(input)).toString().trim() || '{}');
  if (time) time.now = now;
  const controller = new AbortController();
  const { signal } = controller;
  drives.set(id, controller);
  try {
    const content = body === undefined ? undefined : decode(body);
    const { output, response } = await calls.make(name, rest, { body: content, signal, timeoutMs });
    if (output) return success(Buffer.from(JSON.stringify(output)));
    return { ...success(response?.body), status: response?.status };
  } catch (error) {
    if (signal.aborted && error === signal.reason) return { canceled: true };
    return failure(error);
  } finally {
    drives.delete(id);
  }
}

/** @param {string} [text] */
const decode = (text = '') => new Uint8Array(Buffer.from(text, 'base64'));

/** @param {Uint8Array} [output] */
const success = (output = new Uint8Array()) => ({ output: Buffer.from(output).toString('base64') });

const fromPlugin = 'Plugin-originated error: ';

/** @param {any} thrown an Error; from a worker, a plain object */
function failure(thrown) {
  if (thrown instanceof RosteringError) return { error: JSON.stringify(thrown.toJSON()) };
  const { message } = thrown;
  return message.startsWith(fromPlugin) ? { error: message.slice(fromPlugin.length) } : { trap: message };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const { id } = request;
  void handle(request)
    .catch(failure)
    .then((reply) => console.log(JSON.stringify({ id, ...reply })));
}
process.exit(); // instances that were not closed may have workers
