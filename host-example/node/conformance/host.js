// The host adapter for Extism's JavaScript SDK on Node, Deno and Bun: see
// tests/conformance/protocol/protocol.go.
//
//   node conformance/host.js [--sdk PACKAGE] [--worker] [--answer-failures] [--keep-vars]
//
// Without --worker the plugin runs in the foreground, unless it needs HTTP and the runtime has no JSPI. The
// last two replace parts of the SDK: see rostering/fetch.js and vars.js.

import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { drive } from '../rostering/drive.js';
import { answerFailures } from '../rostering/fetch.js';
import { logger } from '../rostering/log.js';
import { send } from '../rostering/send.js';
import { Turns } from '../rostering/turns.js';
import { vars } from './vars.js';
import { versions } from './versions.js';

/** @typedef {{op: string, instance: string, wasm: string, wasi?: boolean, config?: Record<string, string>,
 *   allowed_hosts?: string[], export: string, input?: string}} Request */
/** @typedef {{level: string, line: string}} Line */
/** @typedef {{output?: string, error?: string, trap?: string, logs?: Line[], versions?: string}} Answer */

const { values: options } = parseArgs({
  options: {
    sdk: { type: 'string', default: 'extism' },
    worker: { type: 'boolean', default: false },
    'answer-failures': { type: 'boolean', default: false },
    'keep-vars': { type: 'boolean', default: false },
  },
});

/** @type {typeof import('extism')} */
const sdk = await import(options.sdk);

/** @type {Map<string, {plugin: import('extism').Plugin, logs: Line[]}>} */
const instances = new Map();

/**
 * @param {Request} request
 * @returns {Promise<Answer>}
 */
async function handle(request) {
  switch (request.op) {
    case 'create':
      return create(request);
    case 'call':
      return call(request);
    case 'drive':
      return driven(request);
    case 'versions':
      return { versions: await versions(options.sdk) };
    case 'close':
      await named(request.instance).plugin.close();
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

/** @param {Request} request */
async function create({ instance, wasm, wasi = false, config = {}, allowed_hosts = [] }) {
  /** @type {Line[]} */
  const logs = [];
  const plugin = await sdk.createPlugin(wasm, {
    useWasi: wasi,
    runInWorker: options.worker || (allowed_hosts.length > 0 && !('Suspending' in WebAssembly)),
    config,
    allowedHosts: allowed_hosts,
    ...logger((level, line) => logs.push({ level, line })),
    ...(options['answer-failures'] && { fetch: answerFailures(fetch) }),
    ...(options['keep-vars'] && { functions: vars() }),
    // Deno's workers do not take the arguments that the SDK has for Node's.
    ...('Deno' in globalThis && { nodeWorkerArgs: { execArgv: [] } }),
  });
  instances.set(instance, { plugin, logs });
  return {};
}

/** @param {Request} request */
async function call({ instance, export: name, input = '' }) {
  const { plugin, logs } = named(instance);
  logs.length = 0;
  const called = plugin.call(name, new Uint8Array(Buffer.from(input, 'base64')));
  const outcome = await called.then((output) => success(output?.bytes()), failure);
  return { ...outcome, logs };
}

/** @param {Request} request */
async function driven({ instance, export: name, input = '' }) {
  const { plugin, logs } = named(instance);
  logs.length = 0;
  const parts = {
    plugin,
    turns: new Turns(),
    send: (/** @type {import('../rostering/drive.js').Request} */ request) => send(fetch, request),
    now: () => undefined, // the input has the time
  };
  const text = Buffer.from(input, 'base64').toString().trim();
  const outcome = await drive(parts, name, text ? JSON.parse(text) : {}).then(success, failure);
  return { ...outcome, logs };
}

/** @param {Uint8Array} [output] */
function success(output = new Uint8Array()) {
  return { output: Buffer.from(output).toString('base64') };
}

const fromPlugin = 'Plugin-originated error: ';

/** @param {{message: string}} thrown an Error; a worker's is a mere object */
function failure({ message }) {
  return message.startsWith(fromPlugin) ? { error: message.slice(fromPlugin.length) } : { trap: message };
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await handle(JSON.parse(line)).catch(failure)));
}
process.exit(); // instances that were not closed may have workers
