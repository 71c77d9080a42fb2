// The raw host on Cloudflare's workerd: runs worker.ts, once more for each other file of the plugin, because workerd compiles
// that when it starts, and sends it the lines of the standard input.

import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { startWorker } from '../../../host-example/workerd/local.js';

const version = async (/** @type {string} */ name) =>
  `${name} ${JSON.parse(await readFile(new URL(`node_modules/${name}/package.json`, import.meta.url), 'utf8')).version}`;

/** @type {Awaited<ReturnType<typeof startWorker>> | undefined} */
let worker;
let file = '';
for await (const line of createInterface({ input: process.stdin })) {
  const { id, op, wasm } = JSON.parse(line);
  if (wasm && wasm !== file) {
    await worker?.end();
    worker = await startWorker(new URL('worker.ts', import.meta.url), { wasm });
    file = wasm;
  }
  const send = async () => (await fetch(worker?.url ?? '', { method: 'POST', body: line })).json();
  const versions = op === 'versions' && [
    { id, versions: (await Promise.all(['workerd', 'miniflare', 'extism'].map(version))).join(', ') },
  ];
  for (const response of versions || (await send())) console.log(JSON.stringify(response));
}
await worker?.end(); // workerd would outlive this process
process.exit();
