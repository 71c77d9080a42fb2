// Counts the token requests of isolates that share a token through a Durable Object, or through KV, or do not share. The
// service is one on loopback; README.md has the table.

import { setTimeout } from 'node:timers/promises';
import { startWorker } from './local/worker.js';
import { answer, jobs, Service } from './test/service.js';

/** @typedef {(() => Promise<void>)[]} Calls one for each isolate */
/** @typedef {{name: string, run: (calls: Calls, service: Service) => Promise<void>, lifetime?: number}} Case */

const isolates = 6;

/** @type {Case[]} */
const cases = [
  { name: 'one starts after the other', run: oneByOne },
  { name: 'all start at once', run: atOnce },
  { name: 'the token is revoked', run: revoked },
  { name: 'tokens of 64 s, renewed', lifetime: 64, run: renewed },
  { name: 'tokens of 50 s', lifetime: 50, run: oneByOne },
];

/** @param {Calls} calls */
async function oneByOne(calls) {
  for (const call of calls) for (let i = 0; i < 3; i++) await call();
}

/** @param {Calls} calls */
async function atOnce(calls) {
  await Promise.all(Array.from({ length: 3 }, () => calls.map((call) => call())).flat());
}

/** @type {Case['run']} */
async function revoked(calls, service) {
  await oneByOne(calls);
  const last = service.tokenRequests.length;
  service.jobs = (response) => {
    const { authorization = '' } = service.jobRequests.at(-1) ?? {};
    answer(Number(authorization.replace('Bearer token-', '')) > last ? 200 : 401, jobs)(response);
  };
  await oneByOne(calls);
}

/** @param {Calls} calls */
async function renewed(calls) {
  await oneByOne(calls);
  await setTimeout(33_000); // half of the lifetime, and a bit
  await oneByOne(calls);
}

/**
 * The token requests of isolates that have just started.
 *
 * @param {Case} one
 * @param {('durable-object' | 'kv')[]} stores
 */
async function count({ run, lifetime = 3600 }, stores) {
  const service = new Service();
  service.lifetime = lifetime;
  await service.listen();
  const worker = await startWorker('src/index.ts', { bindings: service.bindings, isolates, stores });
  try {
    await run(
      worker.urls.map((url) => () => listJobs(url)),
      service,
    );
    return service.tokenRequests.length;
  } finally {
    await worker.end();
    await service.close();
  }
}

/** @param {URL} url */
async function listJobs(url) {
  const response = await fetch(new URL('/jobs', url));
  const body = await response.text();
  if (body !== jobs) throw new Error(`${response.status} ${body}`);
}

/** @param {(string | number)[]} cells */
function print([name = '', ...rest]) {
  console.log(`${name}`.padEnd(28) + rest.map((cell) => `${cell}`.padStart(16)).join(''));
}

print([`${isolates} isolates`, 'Durable Object', 'KV', 'no store']);
try {
  for (const one of cases) {
    print([one.name, ...(await Promise.all([count(one, ['durable-object']), count(one, ['kv']), count(one, [])]))]);
  }
} catch (error) {
  console.error(`failed: ${error}`);
  process.exitCode = 1;
}
