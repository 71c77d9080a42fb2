// Stress: concurrent random calls on several clients, with cancels, short timeouts, faults of both servers and of the store,
// revocations, and clients that close during calls. STRESS_SECONDS (default: 60) limits it, STRESS_SEED repeats the choices.
// Run by `tasks.sh stress`, against the sandbox.
//
// It ends with status 1 as soon as a call fails with an error that it must not have, or does not end; if no call succeeds
// after the faults; if a token or a secret is in an error or the log; or if timers, sockets, workers, promises or memory are
// left.

import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Client, configFromEnv, MemoryStore, RosteringError, withToken } from '../src/index.js';
import { Sandbox } from './sandbox.js';

/** @typedef {import('../src/index.js').Store} Store */
/** @typedef {{client: Client, closing: boolean}} Place */

const end = performance.now() + Number(process.env.STRESS_SECONDS || 60) * 1000;
let state = Number(process.env.STRESS_SEED || Date.now() % 1e9);
const seed = state;
const tasks = 16;
const bound = 60_000; // ms in which everything ends, because faults do
const counts = { calls: 0, succeeded: 0, cancels: 0, faults: 0, revocations: 0, closings: 0 };
console.log(`STRESS_SEED=${seed}`);

/** Returns a random number from 0 to 1 (mulberry32). */
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

/** @param {number} n */
const below = (n) => Math.floor(random() * n);

/** @template T @param {readonly T[]} list @returns {T} */
const pick = (list) => /** @type {T} */ (list[below(list.length)]);

/** @type {Map<symbol, string>} */
const pending = new Map();

/** @param {string} what @param {unknown} [error] @returns {never} */
function violated(what, error = new Error()) {
  console.error(`violated: ${what}; STRESS_SEED=${seed}\n${inspect(error)}\npending:`, [...pending.values()]);
  console.error(process.getActiveResourcesInfo());
  process.exit(1);
}

process.on('warning', ({ name, message }) => name === 'ExperimentalWarning' || violated(`${name}: ${message}`));
process.on('unhandledRejection', (error) => violated('an unhandled rejection', error));

/**
 * Waits for something that must end in time.
 *
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} work
 */
async function within(what, work) {
  const id = Symbol();
  pending.set(id, what);
  const timer = setTimeout(() => violated(`${what} does not end`), bound);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    pending.delete(id);
  }
}

const sandbox = await Sandbox.start();
const secret = sandbox.env.ROSTERING_CLIENT_SECRET;
const config = configFromEnv(sandbox.env);

/** @param {string} text */
function checkSecrets(text) {
  if (text.includes(secret) || /eyJ[\w-]+\.[\w-]+\./.test(text)) violated(`a secret or a token: ${text}`);
}

const log = (/** @type {string} */ line) => checkSecrets(line);
const logger = { debug: log, info: log, warn: log, error: log };

let isStoreFaulty = false;
let latest = ''; // value in the store, which its errors quote
const memory = new MemoryStore();
async function failSometimes() {
  if (!isStoreFaulty || random() < 0.6) return;
  if (random() < 0.2) await sleep(1500); // more than a client waits
  throw new Error(`no connection for ${latest}`);
}
/** @type {Store} */
const store = {
  get: (key) => failSometimes().then(() => memory.get(key)),
  add: (key, value, ttl) => failSometimes().then(() => memory.add(key, value, ttl)),
  set: (key, value, ttl) => failSometimes().then(() => memory.set(key, (latest = value), ttl)),
};

let left = 0; // promises of waitUntil
const waitUntil = (/** @type {Promise<unknown>} */ section) => void (left++, section.finally(() => left--));
const options = { logger, timeoutMs: 2 * bound, waitUntil }; // so that a timer that is left shows
const kinds = [options, { ...options, store }, { ...options, store }, options];
const open = async (/** @type {number} */ i) => ({ client: await Client.open(config, kinds[i]), closing: false });
/** @type {Place[]} */
const places = await Promise.all(kinds.map((_, i) => open(i)));

const shared = new AbortController(); // one signal for many calls
const canceled = new Error('canceled by the test');

/** A signal that is not aborted, or soon, or was before the call. */
function randomSignal() {
  if (random() < 0.7) return pick([undefined, shared.signal]);
  counts.cancels++;
  const controller = new AbortController();
  if (random() < 0.1) controller.abort(canceled);
  else setTimeout(() => controller.abort(canceled), below(40));
  return controller.signal;
}

const body = () => new Blob(['stream']).stream();
const posts = [{ body }, { json: { a: 1 } }, { body: 'text' }];

/** @type {Record<string, (client: Client, options: {signal?: AbortSignal, timeoutMs?: number}) => Promise<unknown>>} */
const calls = {
  listJobs: (client, options) => client.listJobs(options),
  view: (client, options) =>
    client
      .forCustomer(pick(['acme', null]))
      .forUser('me')
      .listJobs(options),
  get: (client, options) => client.sendRequest({ path: '/jobs', searchParams: { a: 'b' }, ...options }),
  post: (client, options) => client.sendRequest({ path: '/jobs', method: 'POST', ...pick(posts), ...options }),
  stream: (client, options) => client.sendRequest({ path: '/jobs', method: 'POST', body: body(), ...options }),
  getToken: (client, options) => client.getToken(options),
  force: (client, options) => client.getToken({ force: true, ...options }),
  async refused(client, options) {
    const { accessToken } = await client.getToken(options);
    return client.getToken({ refused: accessToken, ...options });
  },
  setToken: async (client, options) => pick(places).client.setToken(await client.getToken(options)),
  clearToken: (client) => client.clearToken(),
  async withToken(client, { signal }) {
    const signals = [AbortSignal.timeout(3000), ...(signal ? [signal] : [])];
    const response = await withToken(client)(`${config.baseUrl}/jobs`, { signal: AbortSignal.any(signals) });
    await response.text();
  },
};
const names = [...Object.keys(calls), ...Array(8).fill('listJobs')];

const codes = [
  'token_endpoint_rejected',
  'token_endpoint_unavailable',
  'token_response_invalid',
  'service_unauthorized',
];
codes.push('service_error', 'network_error');

/**
 * Whether a call may fail with an error.
 *
 * @param {string} name of the call
 * @param {any} error
 */
function isExpected(name, error) {
  if (error === canceled) return true;
  if (error.name === 'AbortError' && error.message === 'the client is closed') return true;
  if (name === 'withToken' && (error.name === 'TimeoutError' || error.message === 'fetch failed')) return true;
  if (name === 'withToken' && error.message === 'terminated') return true;
  if (!(error instanceof RosteringError)) return false;
  if (error.code === 'token_mismatch') return name === 'setToken'; // it has expired
  return codes.includes(error.code);
}

/** Makes random calls until the time is over. */
async function callAgain() {
  while (performance.now() < end) {
    const name = pick(names);
    const place = pick(places);
    const signal = randomSignal();
    const timeoutMs = pick([undefined, 2000, 1 + below(30)]);
    const given = { ...(signal && { signal }), ...(timeoutMs && { timeoutMs }) };
    counts.calls++;
    try {
      await within(name, async () => calls[name]?.(place.client, given));
      counts.succeeded++;
    } catch (error) {
      checkSecrets(`${error} ${JSON.stringify(error)} ${inspect(error, { depth: 9 })}`);
      if (!isExpected(name, error)) violated(`${name} failed`, error);
      await sleep(below(20)); // or a backoff would fill the time with calls that fail at once
    }
  }
}

/** Opens clients in the place of others, and closes those, until the time is over. */
async function closeAgain() {
  while (performance.now() < end) {
    await sleep(500 + below(2000));
    const i = below(places.length);
    const { client } = /** @type {Place} */ (places[i]);
    places[i] = await within('open', () => open(i));
    await within('close', () => client.close(pick([{}, { timeoutMs: 0 }, { timeoutMs: below(500) }])));
    const late = await client.getToken().catch((error) => error);
    if (late.message !== 'the client is closed') violated('a closed client makes calls', late);
    counts.closings++;
  }
}

const statuses = [400, 401, 403, 408, 429, 500, 503];

/** Switches faults on and off, in rounds, and has each client succeed between two rounds. */
async function failAgain() {
  /** @type {number[]} */
  const used = [];
  while (performance.now() < end) {
    for (let i = 0; i < 20 && performance.now() < end; i++) {
      const server = pick(/** @type {const} */ (['auth', 'jobs']));
      const status = { status: pick(statuses), headers: { 'Retry-After': '1' }, body: secret };
      const faults = [status, { ...status, requests: 3 }, { hold: true }, { cut_off: true }, { delay_ms: below(300) }];
      const fault = pick([...faults, { status: 200, body: 'neither a token nor jobs' }]);
      if (random() < 0.3) await sandbox.clearFaults();
      else await sandbox.fault(server, fault).then(() => counts.faults++);
      if (random() < 0.3) await sandbox.revoke().then(() => counts.revocations++);
      if (random() < 0.1) await sandbox.lifetime(pick([1, 2, 5, 3600]));
      isStoreFaulty = random() < 0.3;
      await sleep(50 + below(350));
    }
    await sandbox.clearFaults();
    await sandbox.lifetime(3600);
    isStoreFaulty = false;
    for (const i of places.keys()) await within('a call after the faults', () => untilSuccess(i));
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    used.push(Math.round((heapUsed + external) / 1e6));
  }
  return used;
}

/** @param {number} i */
async function untilSuccess(i) {
  for (;;) {
    const ok = await /** @type {Place} */ (places[i]).client.listJobs().catch(() => undefined);
    if (ok) return;
    await sleep(100);
  }
}

const [used] = await Promise.all([failAgain(), closeAgain(), ...Array.from({ length: tasks }, callAgain)]);
await Promise.all(places.map(({ client }) => within('close', () => client.close())));
await within('what is left to waitUntil', async () => {
  while (left > 0) await sleep(10);
});
await sandbox.close();
const [, settled = Infinity] = used;
const last = used.at(-1) ?? 0;
if (last > settled + 30) violated(`memory grows, in MB after each round: ${used}`);
console.log(`memory after each round, in MB: ${used.join(', ')}`);
console.log(
  Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', '),
);
setTimeout(() => violated('the process does not end'), bound).unref(); // a timer, a socket or a worker is left
