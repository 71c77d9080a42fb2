// The host adapter for Cloudflare's workerd: see tests/conformance/protocol/protocol.go. It starts
// worker.ts at the first create, since workerd takes the plugin's file when it starts, and hands each
// line on to it.

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { startWorker } from '../local/worker.js';

/** @type {Awaited<ReturnType<typeof startWorker>> & {wasm: string} | undefined} */
let worker;

/** @param {string} line */
async function answer(line) {
  const { op, wasm } = JSON.parse(line);
  if (op === 'versions') return JSON.stringify({ versions: await versions() });
  worker ??= { ...(await startWorker('conformance/worker.ts', { wasm })), wasm };
  if (op === 'create' && wasm !== worker.wasm) throw new Error(`workerd has started with ${worker.wasm}`);
  const response = await fetch(worker.url, { method: 'POST', body: line });
  if (!response.ok) throw new Error(await response.text());
  return response.text();
}

async function versions() {
  const all = ['workerd', 'miniflare', 'extism'].map(async (name) => {
    const file = new URL(`../node_modules/${name}/package.json`, import.meta.url);
    return `${name} ${JSON.parse(await readFile(file, 'utf8')).version}`;
  });
  return (await Promise.all(all)).join(', ');
}

/** @param {Error} thrown */
const failure = ({ message }) => JSON.stringify({ trap: message });

async function end() {
  const ending = worker;
  worker = undefined;
  await ending?.end();
}

const lines = createInterface({ input: process.stdin });
// If a call hangs, workerd must end all the same: it would outlive this process if that is killed.
lines.once('close', () => setTimeout(end, 3_000).unref());
for await (const line of lines) {
  console.log(await answer(line).catch(failure));
}
await end();
