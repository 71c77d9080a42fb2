// What a client refuses before it sends anything, and what it survives; on Node, Deno and Bun.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, configFromEnv, MemoryStore, RosteringError, Token, retry } from '../src/index.js';
import { Sandbox } from './sandbox.js';
import { open, start } from './start.js';

const bound = { timeout: 30_000 };
const config = { authUrl: 'https://login.invalid', clientId: 'a', clientSecret: 'b', scope: 'c' };

/** Opens a client, without its types. @param {import('../src/index.js').Options} [options] */
const openAny = async (options) => /** @type {any} */ (await Client.open(config, options));

test('unknown-option: named as the caller wrote it, with the nearest name', bound, async () => {
  const client = await openAny();
  const open = /** @type {any} */ (Client.open);
  /** @type {[Promise<unknown>, RegExp][]} */
  const cases = [
    [client.listJobs({ customer_id: 'acme' }), /listJobs: unknown option customer_id; did you mean customerId\?/],
    [client.listJobs({ customer: 'acme' }), /option customer; did you mean customerId\?/],
    [client.listJobs({ timeout: 3 }), /option timeout; did you mean timeoutMs\?/],
    [client.sendRequest({ path: '/jobs', params: {} }), /sendRequest: unknown option params; .*searchParams/],
    [client.getToken({ Force: true }), /option Force; did you mean force\?/],
    [client.close({ timeout: 3 }), /option timeout; did you mean timeoutMs\?/],
    [retry(async () => 1, /** @type {any} */ ({ deadline: 3 })), /option deadline; did you mean deadlineMs\?/],
    [open(config, { stroe: new MemoryStore() }), /Client.open: unknown option stroe; did you mean store\?/],
    [open(config, { dispatcher: {} }), /option dispatcher; use one of plugin, store, fetch/],
    [open({ ...config, auth_url: 'https://a' }), /the config: unknown option auth_url; did you mean authUrl\?/],
    [client.listJobs({ constructor: 'acme' }), /option constructor/],
  ];
  for (const [call, message] of cases) await assert.rejects(call, { name: 'TypeError', message });
});

test('wrong-type: nothing is converted', bound, async () => {
  const client = await openAny();
  const open = /** @type {any} */ (Client.open);
  /** @type {[() => unknown, RegExp][]} */
  const cases = [
    [() => client.listJobs('acme'), /listJobs: expected an object, not a string/],
    [() => client.listJobs(null), /not null/],
    [() => client.listJobs({ timeoutMs: '3' }), /listJobs: timeoutMs must be a number, 0 or more, not a string/],
    [() => client.listJobs({ timeoutMs: null }), /not null/],
    [() => client.listJobs({ customerId: ['acme'] }), /customerId must be a string or null, not an array/],
    [() => client.listJobs({ signal: {} }), /signal must be an AbortSignal/],
    [() => client.getToken({ force: 'yes' }), /force must be true or false, not a string/],
    [() => client.sendRequest(), /sendRequest: expected an object/],
    [() => client.sendRequest({}), /path is missing/],
    [() => client.sendRequest({ path: '/jobs', body: { a: 1 } }), /body must be what fetch takes.*json/],
    [() => client.setToken({ access_token: 'a' }), /setToken takes a Token.*new Token\(object\)/],
    [() => client.setToken(), /setToken takes a Token, not undefined/],
    [() => open(), /the config: expected an object, not undefined/],
    [() => open({ ...config, clientSecret: Buffer.from('b') }), /clientSecret must be a string/],
    [() => open({ ...config, allowHttp: 'false' }), /allowHttp must be true or false, not a string/],
    [() => open({ ...config, refreshMargin: '5' }), /refreshMargin must be a number/],
    [() => open(config, { fetch: 'fetch' }), /fetch must be a function/],
    [() => open(config, { clock: new Date() }), /clock must be a function/],
    [async () => (await open(config, { clock: () => new Date() })).listJobs(), /clock .* milliseconds, not an object/],
    [async () => new /** @type {any} */ (Client)(config), /await Client.open\(config\)/],
  ];
  for (const [call, message] of cases) await assert.rejects(async () => call(), { name: 'TypeError', message });
});

test('invalid-value: a RangeError', bound, async () => {
  const client = await openAny();
  /** @type {(() => Promise<unknown>)[]} */
  const cases = [
    () => Client.open(config, { maxBody: 0 }),
    () => Client.open(config, { maxBody: Number.NaN }),
    () => client.close({ timeoutMs: -1 }),
  ];
  for (const timeoutMs of [-1, Number.NaN, Number.NEGATIVE_INFINITY]) {
    cases.push(
      () => Client.open(config, { timeoutMs }),
      () => client.listJobs({ timeoutMs }),
    );
  }
  for (const call of cases) await assert.rejects(call, { name: 'RangeError', message: /must be a .*, not (-|NaN|0)/ });
  for (const refreshMargin of [-1, 1.5, Number.NaN]) {
    await assert.rejects(Client.open({ ...config, refreshMargin }), { code: 'config_invalid', key: 'refresh_margin' });
  }
});

test('config-at-open: validated without a request', bound, async (t) => {
  const sandbox = await Sandbox.start(t);
  const typo = open(t, sandbox, {}, { environment: /** @type {any} */ ('test') });
  await assert.rejects(typo, { name: 'RosteringError', code: 'config_invalid', key: 'environment', retryable: false });
  const missing = open(t, sandbox, {}, { clientSecret: '' });
  await assert.rejects(missing, { code: 'config_missing', key: 'client_secret' });
  assert.deepEqual(await sandbox.counts(), { token_requests: 0, job_requests: 0 });
});

test('config-from-env: reads ten variables', () => {
  const env = {
    ROSTERING_ENVIRONMENT: 'stage',
    ROSTERING_AUTH_URL: 'a',
    ROSTERING_BASE_URL: 'b',
    ROSTERING_CLIENT_ID: 'c',
    ROSTERING_CLIENT_SECRET: 'd',
    ROSTERING_CUSTOMER_ID: 'e',
    ROSTERING_USER_ID: 'f',
    ROSTERING_SCOPE: '',
    ROSTERING_REFRESH_MARGIN: '5',
    ROSTERING_ALLOW_HTTP: 'false',
    ROSTERING_SERVICE_HOST: 'set by Kubernetes',
  };
  assert.deepEqual(configFromEnv(env), {
    ...{
      environment: 'stage',
      authUrl: 'a',
      baseUrl: 'b',
      clientId: 'c',
      clientSecret: 'd',
      customerId: 'e',
      userId: 'f',
    },
    ...{ refreshMargin: 5, allowHttp: false },
  });
  for (const name of ['ROSTERING_ALLOW_HTTP', 'ROSTERING_REFRESH_MARGIN']) {
    const wrong = () => configFromEnv({ ...env, [name]: 'yes' });
    assert.throws(wrong, { name: 'RosteringError', code: 'config_invalid', message: new RegExp(name) });
  }
  process.env.ROSTERING_SCOPE = 'of the process';
  assert.equal(configFromEnv().scope, 'of the process');
  delete process.env.ROSTERING_SCOPE;
});

test('store-invalid: without the three methods', bound, async () => {
  const partial = { get: async () => null, set: async () => {} };
  for (const store of [{}, null, partial, new Map()]) {
    const opened = Client.open(config, { store: /** @type {any} */ (store) });
    await assert.rejects(opened, {
      name: 'TypeError',
      message: /store must be an object with the methods get, add, set/,
    });
  }
});

test('store-warning: once a minute and without secrets, and no call fails', bound, async (t) => {
  /** @type {string[]} */
  const warnings = [];
  const log = () => {};
  const logger = { debug: log, info: log, warn: (/** @type {string} */ line) => void warnings.push(line), error: log };
  const fails = async (/** @type {string} */ _, value = '') => {
    throw Object.assign(new Error(`redis://me:pa55word@host refused ${value}`), { code: 'WRONGPASS' });
  };
  const { sandbox, client } = await start(t, { logger, store: { get: async () => null, add: fails, set: fails } });
  const token = await client.getToken({ force: true });
  for (let i = 0; i < 3; i++) await (await client.getToken({ force: true }), client.listJobs());
  const [warning = '', ...others] = warnings.filter((line) => line.includes('store'));
  assert.match(warning, /store's add failed: WRONGPASS Error: redis:\/\/\[redacted\]@host refused/);
  assert.deepEqual(others, []);
  assert.ok(!warning.includes(token.accessToken) && (await sandbox.counts()).job_requests === 3);
});

test('logger-invalid: without the four methods, but one may throw', bound, async (t) => {
  const partial = /** @type {any} */ ({ debug: () => {}, warn: () => {} });
  const opened = Client.open(config, { logger: partial });
  await assert.rejects(opened, { name: 'TypeError', message: /logger must be an object with the methods debug, info/ });
  let lines = 0;
  const fail = () => {
    lines++;
    throw new Error('the disk is full');
  };
  const { client } = await start(t, { logger: { debug: fail, info: fail, warn: fail, error: fail } });
  assert.equal((await client.listJobs()).status, 200);
  assert.ok(lines > 0);
});

test('a mistake in the code of a fetch is not a network_error', bound, async (t) => {
  const sandbox = await Sandbox.start(t);
  const none = /** @type {any} */ (undefined);
  for (const mistake of [
    async () => none,
    () => none.fetch(),
    async () => none(),
    async () => Promise.reject(new ReferenceError('a')),
  ]) {
    const client = await open(t, sandbox, { fetch: /** @type {any} */ (mistake) });
    await assert.rejects(client.listJobs(), (/** @type {any} */ error) => {
      assert.ok(!(error instanceof RosteringError), String(error));
      return error instanceof TypeError || error instanceof ReferenceError;
    });
  }
  const down = await open(t, sandbox, { fetch: async () => Promise.reject(new TypeError('fetch failed')) });
  await assert.rejects(down.listJobs(), { code: 'network_error', retryable: true });
  assert.ok(new Token((await (await open(t, sandbox)).getToken()).toObject()));
});
