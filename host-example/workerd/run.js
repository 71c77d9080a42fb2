// Usage: node run.js jobs|service
// Runs a Worker of this folder in workerd, with the ROSTERING_* variables of the environment: `jobs` sends jobs.ts one request,
// and prints the response; `service` runs it on PORT until SIGTERM.

import { once } from 'node:events';
import process from 'node:process';
import { startWorker } from './local.js';

const { PORT = 3000, ...env } = process.env;
const [, , program] = process.argv;

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
