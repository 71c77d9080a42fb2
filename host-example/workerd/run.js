// Usage: node run.js jobs|service
//        node run.js call <REQUESTS
// Runs a Worker of this folder in workerd, with the ROSTERING_* variables of the environment: `jobs` sends jobs.ts one request,
// and prints the response; `service` runs it on PORT until SIGTERM; `call` is the raw host of the scenarios.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { startWorker } from './local.js';

const { PORT = 3000, ...env } = process.env;
const [, , program = ''] = process.argv;
if (program === 'call') {
  await call();
  process.exit();
}

const worker = await startWorker(new URL('jobs.ts', import.meta.url), {
  bindings: Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('ROSTERING_'))),
  stores: ['durable-object'],
  log: (level, line) => console.error(level, line),
  ...(program === 'service' && { port: Number(PORT) }),
});
try {
  if (program === 'service') {
    console.log(worker.url.port);
    process.removeAllListeners('SIGTERM'); // miniflare's would end this process with an error
    await once(process, 'SIGTERM');
  } else {
    const response = await fetch(worker.url);
    (response.ok ? console.log : console.error)(await response.text());
    process.exitCode = response.ok ? 0 : 1;
  }
} finally {
  await worker.end();
}

async function call() {
  const { dependencies, devDependencies } = JSON.parse(
    await readFile(new URL('package.json', import.meta.url), 'utf8'),
  );
  const versions = { versions: `miniflare ${devDependencies.miniflare}, extism ${dependencies.extism}` };
  /** @type {Awaited<ReturnType<typeof startWorker>> | undefined} */
  let worker;
  let file = '';
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, op, wasm } = JSON.parse(line);
    if (wasm && wasm !== file) {
      await worker?.end();
      worker = await startWorker(new URL('call.ts', import.meta.url), { wasm }); // workerd compiles it at its start
      file = wasm;
    }
    const send = async () => (await fetch(worker?.url ?? '', { method: 'POST', body: line })).json();
    console.log(JSON.stringify({ id, ...(op === 'versions' ? versions : await send()) }));
  }
  await worker?.end(); // workerd would outlive this process
}
