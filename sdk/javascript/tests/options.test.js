// What a client and retry do with their options, before anything is sent; on Node, Deno and Bun.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { FileStore } from '../src/file-store.js';
import { Client, configFromEnv, MemoryStore, retry, RosteringError, Token, withToken } from '../src/index.js';
import { RedisStore } from '../src/redis-store.js';
import { config, start } from './fake.js';

const bound = { timeout: 30_000 };

/** Opens a client, without its types. @param {import('../src/index.js').Options} [options] */
const openAny = async (options) => /** @type {any} */ (await Client.open(config, options));

test('wrong-option: an unknown one is named as the caller wrote it, with those that exist', bound, async () => {
  const client = await openAny();
  const open = /** @type {any} */ (Client.open);
  /** @type {[Promise<unknown>, RegExp][]} */
  const cases = [
    [
      client.listJobs({ customer_id: 'acme' }),
      /listJobs: unknown option customer_id; use one of headers, customerId, userId, signal/,
    ],
    [client.sendRequest({ path: '/jobs', params: {} }), /sendRequest: unknown option params; .*searchParams/],
    [client.getToken({ Force: true }), /option Force; .*force/],
    [client.close({ timeout: 3 }), /close: unknown option timeout; use one of timeoutMs$/],
    [retry(async () => 1, /** @type {any} */ ({ deadline: 3 })), /option deadline; .*deadlineMs/],
    [open(config, { stroe: new MemoryStore() }), /Client.open: unknown option stroe; .*store/],
    [open(config, { dispatcher: {} }), /option dispatcher; use one of plugin, store, fetch/],
    [open({ ...config, auth_url: 'https://a' }), /the config: unknown option auth_url; .*authUrl/],
    [client.listJobs({ constructor: 'acme' }), /option constructor/],
  ];
  for (const [call, message] of cases) await assert.rejects(call, { name: 'TypeError', message });
});

test('wrong-option: of a wrong type, which is not converted', bound, async () => {
  const client = await openAny();
  const open = /** @type {any} */ (Client.open);
  /** @type {[() => unknown, RegExp][]} */
  const cases = [
    [() => client.listJobs('acme'), /listJobs: expected a plain object, not a string/],
    [() => client.listJobs({ timeoutMs: '3' }), /listJobs: timeoutMs must be a number, 0 or more, not a string/],
    [() => client.listJobs({ customerId: ['acme'] }), /customerId must be a string or null, not an array/],
    [() => client.listJobs({ signal: {} }), /signal must be an AbortSignal/],
    [
      () => client.listJobs({ signal: new EventTarget() }),
      /signal must be an AbortSignal, not an object \(EventTarget/,
    ],
    ...[AbortSignal.timeout(1), new Headers(), new Map(), Promise.resolve()].map(
      (given) =>
        /** @type {[() => unknown, RegExp]} */ ([
          () => client.listJobs(given),
          /listJobs: expected a plain object, not an object \((AbortSignal|Headers|Map|Promise)\)/,
        ]),
    ),
    [() => client.getToken({ force: 'yes' }), /force must be true or false, not a string/],
    [() => client.sendRequest({}), /path is missing/],
    [() => client.sendRequest({ path: '/jobs', body: { a: 1 } }), /body must be what fetch takes.*json/],
    ...[Promise.resolve(''), new Map(), [][Symbol.iterator](), new Error('a'), new Date(), new Response('a'), 7].map(
      (body) =>
        /** @type {[() => unknown, RegExp]} */ ([
          () => client.sendRequest({ path: '/jobs', body }),
          /sendRequest: body must be what fetch takes.*json\), not (an object \(|7)/,
        ]),
    ),
    ...[undefined, {}, 7, new Map(), () => 'text'].map(
      (body) =>
        /** @type {[() => unknown, RegExp]} */ ([
          async () =>
            (await start()).client.sendRequest({
              path: '/jobs',
              method: 'POST',
              body: async () => /** @type {any} */ (body),
            }),
          /sendRequest: what body returns must be what fetch takes.*, not (undefined|a|7)/,
        ]),
    ),
    [() => client.sendRequest({ path: '/jobs', json: {}, body: 'text' }), /set json or body, not both/],
    [() => client.sendRequest({ path: '/jobs', json: () => {} }), /json cannot be a function/],
    [() => client.forUser(7), /forUser takes a string or null, not 7/],
    [() => client.setToken({ access_token: 'a' }), /setToken takes a Token.*new Token\(object\)/],
    [() => open(), /the config: expected a plain object, not undefined/],
    [() => open({ ...config, clientSecret: Buffer.from('b') }), /clientSecret must be a string/],
    [() => open({ ...config, allowHttp: 'false' }), /allowHttp must be true or false, not a string/],
    [() => open({ ...config, refreshMargin: '5' }), /refreshMargin must be a number/],
    [() => open(config, { fetch: 'fetch' }), /fetch must be a function/],
    [() => open(config, { clock: new Date() }), /clock must be a function/],
    [async () => (await open(config, { clock: () => new Date() })).listJobs(), /clock .* milliseconds, not an object/],
    [() => open(config, { timeoutMs: '3' }), /timeoutMs must be a number/],
    [() => (0, client.listJobs)(), /expected a client, not undefined: call client.listJobs\(\)/],
    [() => withToken(/** @type {any} */ ({})), /expected a client, not an object/],
    [() => withToken(client, /** @type {any} */ (5)), /withToken: send must be a function, not 5/],
    [() => new Token(/** @type {any} */ ('a')), /new Token takes a token object, not a string/],
    ...[{}, null, new Map(), { get: async () => null, set: async () => {} }].map(
      (store) =>
        /** @type {[() => unknown, RegExp]} */ ([() => open(config, { store }), /store must .* get, add, set/]),
    ),
    [() => open(config, { logger: { debug() {} } }), /logger must be an object with the methods debug, warn/],
    [() => new RedisStore(/** @type {any} */ ({ get() {}, set() {} })), /npm's redis, version 5/], // as ioredis has them
    [() => retry(/** @type {any} */ (Promise.resolve())), /retry takes a function/],
    [async () => new /** @type {any} */ (Client)(config), /await Client.open\(config\)/],
    [
      () => new /** @type {any} */ (RosteringError)('network_error', 'down'),
      /an object, .*: \{ code, message, retryable/,
    ],
    [() => retry(async () => 1, { retryIf: /** @type {any} */ (true) }), /retryIf must be a function/],
  ];
  for (const [call, message] of cases) await assert.rejects(async () => call(), { name: 'TypeError', message });
});

test('invalid-value: a RangeError', bound, async () => {
  const client = await openAny();
  /** @type {(() => Promise<unknown>)[]} */
  const cases = [
    () => Client.open(config, { maxBody: Number.NaN }),
    () => client.listJobs({ timeoutMs: Number.NaN }),
    () => client.close({ timeoutMs: -1 }),
  ];
  for (const call of cases) await assert.rejects(call, { name: 'RangeError', message: /must be a .*, not (-|NaN)/ });
  for (const refreshMargin of [-1, 1.5, Number.NaN]) {
    await assert.rejects(Client.open({ ...config, refreshMargin }), { code: 'config_invalid', key: 'refresh_margin' });
  }
});

test('config-at-open: each field in the words of the caller', bound, async () => {
  const message = /\(ROSTERING_ENVIRONMENT; authUrl, ROSTERING_AUTH_URL; clientId, ROSTERING_CLIENT_ID; clientSecret, /;
  await assert.rejects(Client.open(/** @type {any} */ ({ clientSecret: 'a\n' })), { message });
  const undecoded = { code: 'config_invalid', message: /^client_secret could not be .*, ROSTERING_CLIENT_SECRET\)$/ };
  await assert.rejects(Client.open({ ...config, clientSecret: 'pa55word\ud800' }), undecoded);
  await assert.rejects((await openAny()).setSecret('pa55word\udc00'), undecoded);
});

test('the error names a folder that cannot be created', async () => {
  const path = fileURLToPath(import.meta.url);
  for (const folder of [path, join(path, 'tokens')])
    assert.throws(() => new FileStore(folder), { message: new RegExp(path) });
  for (const folder of ['', undefined]) assert.throws(() => new FileStore(/** @type {any} */ (folder)), TypeError);
});

test('a huge file in the folder of a store is not read, and is replaced', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'store-'));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, createHash('sha256').update('key').digest('hex'));
  await writeFile(file, '');
  await truncate(file, 3 * 2 ** 30);
  const store = new FileStore(folder);
  assert.equal(await store.get('key'), null);
  assert.equal(await store.add('key', 'value', 60), true);
  assert.equal(await store.get('key'), 'value');
});

test('a config from the environment does not show the secret', () => {
  const own = configFromEnv({ ROSTERING_CLIENT_ID: 'client', ROSTERING_CLIENT_SECRET: 'pa55word' });
  assert.equal(inspect([own]), "[ { clientId: 'client', clientSecret: '[hidden]' } ]");
  assert.deepEqual({ ...own }, { clientId: 'client', clientSecret: 'pa55word' });
});

test('a predicate of retry that returns no boolean', bound, async () => {
  const error = new RosteringError({ code: 'service_error', message: 'gone', retryable: false, retry_after: 0 });
  let calls = 0;
  const call = () => (calls++, Promise.reject(error));
  const wrong = /** @type {any} */ ([async () => true, () => undefined, () => 1]);
  for (const retryIf of wrong) {
    calls = 0;
    const message = /the result of retryIf must be true or false, not (an object \(Promise\)|undefined|1)$/;
    await assert.rejects(retry(call, { retryIf }), { name: 'TypeError', message });
    assert.equal(calls, 1);
  }
});
