// Counts the token requests of isolates that share a token through a Durable Object or KV, or do not share one. The service
// is a sandbox; README.md has the table.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startWorker } from './local.js';

/** @typedef {Awaited<ReturnType<typeof startSandbox>>} Sandbox */
/** @typedef {(() => Promise<void>)[]} Calls one for each isolate */
/** @typedef {{name: string, run: (calls: Calls, sandbox: Sandbox) => Promise<void>, lifetime?: number}} Case */

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
async function revoked(calls, sandbox) {
  await oneByOne(calls);
  await sandbox.control('POST', 'revoke');
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
  const sandbox = await startSandbox();
  try {
    await sandbox.control('POST', 'lifetime', { seconds: lifetime });
    const worker = await startWorker(new URL('service.ts', import.meta.url), {
      bindings: sandbox.env,
      isolates,
      stores,
    });
    const calls = worker.urls.map((url) => () => listJobs(url));
    await run(calls, sandbox).finally(() => worker.end());
    return (await sandbox.control('GET', 'counts')).token_requests;
  } finally {
    sandbox.end();
  }
}

/** Starts a sandbox; its package has the requests by which it is controlled. */
async function startSandbox() {
  const program = fileURLToPath(new URL('../../build/sandbox', import.meta.url));
  const child = spawn(program, ['-json', '-until-stdin-closes'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const [line] = await once(createInterface(child.stdout), 'line', { signal: AbortSignal.timeout(20_000) });
  const { control_url, env } = JSON.parse(line);
  const control = async (
    /** @type {string} */ method,
    /** @type {string} */ path,
    /** @type {unknown} */ body = undefined,
  ) => {
    const response = await fetch(`${control_url}/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the sandbox responded with ${response.status}: ${text}`);
    return text && JSON.parse(text);
  };
  return { env, control, end: () => void child.stdin.end() };
}

/** @param {URL} url */
async function listJobs(url) {
  const response = await fetch(new URL('/jobs', url));
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${body}`);
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
