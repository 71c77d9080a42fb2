// Usage: node run.js PROGRAM
// Runs a Worker of this folder in workerd, with the ROSTERING_* variables of the environment. `service` listens on PORT until
// SIGTERM; the others receive one request, and the response is printed.

import { once } from 'node:events';
import process from 'node:process';
import { startWorker } from './local.js';

const { PORT, ...env } = process.env;
const program = process.argv[2] ?? '';
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
