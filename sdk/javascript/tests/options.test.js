// What a client refuses before it sends anything; on Node, Deno and Bun.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, configFromEnv, MemoryStore, retry } from '../src/index.js';
import { config } from './fake.js';

const bound = { timeout: 30_000 };

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
    [() => client.sendRequest({ path: '/jobs', json: {}, body: 'text' }), /set json or body, not both/],
    [() => client.sendRequest({ path: '/jobs', json: () => {} }), /json cannot be a function/],
    [() => client.forUser(7), /forUser takes a string or null, not 7/],
    [() => client.forCustomer(undefined), /not undefined/],
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

test('config-from-env: process.env, or another object', () => {
  const env = {
    ROSTERING_SCOPE: '',
    ROSTERING_REFRESH_MARGIN: '5',
    ROSTERING_ALLOW_HTTP: 'false',
    ROSTERING_OTHER: 'x',
  };
  assert.deepEqual(configFromEnv({ ...env, ROSTERING_CLIENT_ID: 'a' }), {
    clientId: 'a',
    refreshMargin: 5,
    allowHttp: false,
  });
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

test('logger-invalid: without the four methods', bound, async () => {
  const logger = /** @type {any} */ ({ debug: () => {}, warn: () => {} });
  const message = /logger must be an object with the methods debug, info/;
  await assert.rejects(Client.open(config, { logger }), { name: 'TypeError', message });
});
