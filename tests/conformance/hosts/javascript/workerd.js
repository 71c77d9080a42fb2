// The host adapter for Cloudflare's workerd: see tests/conformance/protocol/protocol.go. It starts worker.ts at the
// first create, since workerd takes the plugin's file when it starts, and sends each line to it as a request.

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Caller } from '../../../../sdk/javascript/runtimes/workerd/tests/hang-up.js';
import { startWorker } from '../../../../host-example/workerd/local.js';

/** @type {string | undefined} the plugin's file */
let loaded;

/** @type {ReturnType<typeof startWorker> | undefined} */
let worker;

/** @type {Map<number, Caller>} */
const clients = new Map();

/** @param {string} line */
async function answer(line) {
  const { id, op, wasm, target } = JSON.parse(line);
  if (op === 'versions') return { id, versions: await versions() };
  if (op === 'cancel') {
    clients.get(target)?.hangUp();
    return { id };
  }
  const client = new Caller();
  clients.set(id, client);
  try {
    const response = await client.send(await start(wasm), line);
    return { id, ...JSON.parse(response) };
  } catch (error) {
    return client.hungUp ? { id, canceled: true } : { id, trap: String(error) };
  } finally {
    clients.delete(id);
  }
}

/**
 * Starts workerd, at the first create.
 *
 * @param {string | undefined} wasm of a create
 */
async function start(wasm) {
  if (wasm) {
    loaded ??= wasm;
    worker ??= startWorker(new URL('worker.ts', import.meta.url), { wasm });
    if (wasm !== loaded) throw new Error(`workerd has started with ${loaded}`);
  }
  const started = await worker;
  if (!started) throw new Error('no instance has been created');
  return started.url;
}

async function versions() {
  const all = ['workerd', 'miniflare', 'extism'].map(async (name) => {
    const file = new URL(`../../../../sdk/javascript/node_modules/${name}/package.json`, import.meta.url);
    return `${name} ${JSON.parse(await readFile(file, 'utf8')).version}`;
  });
  return (await Promise.all(all)).join(', ');
}

for await (const line of createInterface({ input: process.stdin })) {
  void answer(line).then((answer) => console.log(JSON.stringify(answer)));
}
await (await worker)?.end(); // workerd would outlive this process
process.exit();
