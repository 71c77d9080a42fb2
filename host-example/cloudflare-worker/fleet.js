// How many token requests some isolates make that share a token by KV, and how many without KV. The service
// is one on loopback, which counts them; README.md has the table.

import { setTimeout } from 'node:timers/promises';
import { startWorker } from './local/worker.js';
import { jobs, Service } from './test/service.js';

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {(calls: (() => Promise<void>)[]) => Promise<void>} run is given a call for each isolate
 * @property {number} [lifetime] of a token, in seconds
 * @property {'fails' | 'hangs'} [kv] what is wrong with KV
 */

const isolates = 6;

/** @type {Case[]} */
const cases = [
  { name: 'one starts after the other', run: oneByOne },
  { name: 'all start at once', run: atOnce },
  { name: 'tokens of 64 s, renewed', lifetime: 64, run: twice },
  { name: 'tokens of 50 s: too short for KV', lifetime: 50, run: oneByOne },
  { name: 'KV fails', kv: 'fails', run: oneByOne },
  { name: 'KV does not answer', kv: 'hangs', run: atOnce },
];

/** @param {(() => Promise<void>)[]} calls */
async function oneByOne(calls) {
  for (const call of calls) for (let i = 0; i < 3; i++) await call();
}

/** @param {(() => Promise<void>)[]} calls */
async function atOnce(calls) {
  await Promise.all(Array.from({ length: 3 }, () => calls.map((call) => call())).flat());
}

/** @param {(() => Promise<void>)[]} calls */
async function twice(calls) {
  await oneByOne(calls);
  await setTimeout(33_000); // half of the life is over, and a part of a second
  await oneByOne(calls);
}

/**
 * Counts what isolates do that have just started. Throws if they do not answer with the jobs.
 *
 * @param {Case} one
 * @param {boolean} shared whether they have KV
 */
async function count({ run, lifetime = 3600, kv: KV }, shared) {
  const service = new Service();
  service.lifetime = lifetime;
  await service.listen();
  const broken = shared && KV !== undefined;
  const worker = await startWorker(broken ? 'test/broken-kv.worker.ts' : 'src/index.ts', {
    bindings: { ...service.bindings, ...(broken && { KV }) },
    isolates,
    kv: shared,
  });
  try {
    await run(worker.urls.map((url) => () => listJobs(url)));
    return { calls: service.jobRequests.length, tokenRequests: service.tokenRequests.length };
  } finally {
    await worker.end();
    await service.close();
  }
}

/** @param {URL} url */
async function listJobs(url) {
  const answer = await fetch(new URL('/jobs', url));
  const body = await answer.text();
  if (body !== jobs) throw new Error(`${answer.status} ${body}`);
}

/** @param {(string | number)[]} cells */
function print([name = '', ...rest]) {
  console.log(`${name}`.padEnd(32) + rest.map((cell) => `${cell}`.padStart(17)).join(''));
}

print([`${isolates} isolates`, 'calls', 'token requests', 'without KV']);
try {
  for (const one of cases) {
    const [shared, alone] = await Promise.all([count(one, true), count(one, false)]);
    print([one.name, shared.calls, shared.tokenRequests, alone.tokenRequests]);
  }
} catch (error) {
  console.error(`failed: ${error}`);
  process.exitCode = 1;
}
