// The host adapter for Cloudflare's workerd: see tests/conformance/protocol/protocol.go. It starts worker.ts at the
// first create, since workerd takes the plugin's file when it starts, and sends each line to it as a request.

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { startWorker } from '../local/worker.js';

/** @type {string | undefined} the plugin's file */
let loaded;

/** @type {ReturnType<typeof startWorker> | undefined} */
let worker;

/** @type {Map<number, AbortController>} */
const requests = new Map();

/** @param {string} line */
async function answer(line) {
  const { id, op, wasm, target } = JSON.parse(line);
  if (op === 'versions') return { id, versions: await versions() };
  if (op === 'cancel') {
    requests.get(target)?.abort(); // a client that hangs up
    return { id };
  }
  const controller = new AbortController();
  requests.set(id, controller);
  try {
    return { id, ...(await send(line, wasm, controller.signal)) };
  } catch (error) {
    if (controller.signal.aborted) return { id, canceled: true };
    return { id, trap: String(error) };
  } finally {
    requests.delete(id);
  }
}

/**
 * @param {string} line
 * @param {string | undefined} wasm of a create
 * @param {AbortSignal} signal
 */
async function send(line, wasm, signal) {
  if (wasm) {
    loaded ??= wasm;
    worker ??= startWorker('conformance/worker.ts', { wasm });
    if (wasm !== loaded) throw new Error(`workerd has started with ${loaded}`);
  }
  const started = await worker;
  if (!started) throw new Error('there is no instance yet');
  const response = await fetch(started.url, { method: 'POST', body: line, signal });
  if (!response.ok) throw new Error(await response.text());
  return /** @type {Promise<object>} */ (response.json());
}

async function versions() {
  const all = ['workerd', 'miniflare', 'extism'].map(async (name) => {
    const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
    return `${name} ${JSON.parse(await readFile(file, 'utf8')).version}`;
  });
  return (await Promise.all(all)).join(', ');
}

for await (const line of createInterface({ input: process.stdin })) {
  void answer(line).then((answer) => console.log(JSON.stringify(answer)));
}
await (await worker)?.end(); // workerd would outlive this process
process.exit();
