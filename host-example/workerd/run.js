// Usage: node run.js PROGRAM
//        node run.js minimal call <REQUESTS
// Runs a Worker of this folder in workerd, with the ROSTERING_* variables of the environment. `service` listens on PORT until
// SIGTERM; the others receive one request, and the response is printed.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { startWorker } from './local.js';

const { PORT, ...env } = process.env;
const [, , program = '', verb] = process.argv;
if (verb === 'call') {
  await call();
  process.exit();
}

const worker = await startWorker(new URL(`${program}.ts`, import.meta.url), {
  bindings: Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('ROSTERING_'))),
  stores: program === 'minimal' ? [] : ['durable-object'],
  log: (level, line) => console.error(level, line),
  ...(program === 'service' && { port: Number(PORT ?? 3000) }),
});
try {
  if (program === 'service') {
    console.log(worker.url.port);
    process.removeAllListeners('SIGTERM'); // miniflare's would end this process with an error
    await once(process, 'SIGTERM');
  } else {
    const response = await fetch(worker.url);
    const text = await response.text();
    if (response.ok) console.log(text);
    else console.error(text.split('\n', 1)[0]);
    process.exitCode = response.ok ? 0 : 1;
  }
} finally {
  await worker.end();
}

/** Reads requests for minimal.ts, a JSON object in each line, and responds to each in order. */
async function call() {
  /** @type {Map<string, ReturnType<typeof startWorker>>} one for each file of the plugin, which workerd compiles at its start */
  const workers = new Map();
  const files = new Map();
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, op, instance, wasm = files.get(instance) } = JSON.parse(line);
    let response;
    if (op === 'versions') {
      const { dependencies, devDependencies } = JSON.parse(
        await readFile(new URL('package.json', import.meta.url), 'utf8'),
      );
      response = { versions: `miniflare ${devDependencies.miniflare}, extism ${dependencies.extism}` };
    } else {
      files.set(instance, wasm);
      workers.set(wasm, workers.get(wasm) ?? startWorker(new URL('minimal.ts', import.meta.url), { wasm }));
      const { url } = await /** @type {ReturnType<typeof startWorker>} */ (workers.get(wasm));
      response = await (await fetch(url, { method: 'POST', body: line })).json();
    }
    console.log(JSON.stringify({ id, .../** @type {object} */ (response) }));
  }
  for (const worker of workers.values()) await (await worker).end(); // workerd would outlive this process
}
