// The host adapter for Cloudflare's workerd: see tests/conformance/protocol/protocol.go. It starts worker.ts once for each
// file of the plugin, because workerd compiles that when it starts, and sends it each line as a request.

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Caller } from '../../../../sdk/javascript/runtimes/workerd/tests/hang-up.js';
import { startWorker } from '../../../../host-example/workerd/local.js';

/** @typedef {ReturnType<typeof startWorker>} Worker */

/** @type {Map<string, Worker>} by the plugin's file */
const workers = new Map();

/** @type {Map<string, Worker>} by the name of an instance in it */
const instances = new Map();

/** @type {Map<number, Caller>} */
const callers = new Map();

/** @param {string} line */
async function handle(line) {
  const { id, op, instance, wasm, target } = JSON.parse(line);
  if (op === 'versions') return { id, versions: await versions() };
  if (op === 'cancel') {
    callers.get(target)?.hangUp();
    return { id };
  }
  const caller = new Caller();
  callers.set(id, caller);
  try {
    const { url } = await (op === 'create' ? start(instance, wasm) : named(instance));
    const response = await caller.send(url, line);
    return { id, ...JSON.parse(response) };
  } catch (error) {
    return caller.hungUp ? { id, canceled: true } : { id, trap: String(error) };
  } finally {
    callers.delete(id);
  }
}

/**
 * Starts the worker for a new instance, unless it runs.
 *
 * @param {string} instance
 * @param {string} wasm
 */
function start(instance, wasm) {
  const worker = workers.get(wasm) ?? startWorker(new URL('worker.ts', import.meta.url), { wasm });
  workers.set(wasm, worker);
  instances.set(instance, worker);
  return worker;
}

/** @param {string} instance */
function named(instance) {
  const worker = instances.get(instance);
  if (!worker) throw new Error(`no instance ${instance}`);
  return worker;
}

async function versions() {
  const all = ['workerd', 'miniflare', 'extism'].map(async (name) => {
    const file = new URL(`../../../../sdk/javascript/node_modules/${name}/package.json`, import.meta.url);
    return `${name} ${JSON.parse(await readFile(file, 'utf8')).version}`;
  });
  return (await Promise.all(all)).join(', ');
}

for await (const line of createInterface({ input: process.stdin })) {
  void handle(line).then((reply) => console.log(JSON.stringify(reply)));
}
for (const worker of workers.values()) await (await worker).end(); // workerd would outlive this process
process.exit();
