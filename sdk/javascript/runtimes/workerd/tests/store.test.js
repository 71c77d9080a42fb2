import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWorker } from '../../../../../host-example/workerd/local.js';
import { until } from './start.js';

const bound = { timeout: 60_000 };
const key = 'rostering:https%3A%2F%2Flogin:client:scope';

/**
 * Starts a Worker with a store.
 *
 * @param {import('node:test').TestContext} t
 * @param {'kv' | 'durable-object'} kind
 */
async function start(t, kind) {
  const worker = await startWorker(new URL('stores.worker.ts', import.meta.url), { stores: [kind] });
  t.after(() => worker.end());
  /** @returns {Promise<any>} */
  const store = async (/** @type {string} */ op, key = '', value = '', ttl = 0) => {
    const body = JSON.stringify({ op, key, value, ttl });
    return (await fetch(worker.url, { method: 'POST', body })).json();
  };
  return { store, tokens: worker.tokens };
}

test('a Durable Object', bound, async (t) => {
  const { store } = await start(t, 'durable-object');
  assert.equal(await store('get', key), null);
  await store('set', key, 'first', 60);
  await store('set', key, 'second', 60);
  assert.equal(await store('get', key), 'second');
  assert.equal(await store('add', key, 'third', 60), false);
  assert.equal(await store('get', key), 'second');
  assert.equal(await store('get', `${key}:asking`), null);
});

test('of concurrent adds to a Durable Object one succeeds', bound, async (t) => {
  const { store } = await start(t, 'durable-object');
  const added = await Promise.all(Array.from({ length: 50 }, (_, i) => store('add', key, `${i}`, 60)));
  assert.equal(added.filter(Boolean).length, 1);
  assert.equal(await store('get', key), `${added.indexOf(true)}`);
});

test('a Durable Object deletes an expired value', bound, async (t) => {
  const { store } = await start(t, 'durable-object');
  await store('set', key, 'first', 1);
  await until(async () => (await store('get', key)) === null);
  await until(() => store('isEmpty', key));
  assert.equal(await store('add', key, 'second', 60), true);
  assert.equal(await store('get', key), 'second');
});

test('KV', bound, async (t) => {
  const { store, tokens } = await start(t, 'kv');
  assert.equal(await store('get', key), null);
  await store('set', key, 'first', 3600);
  assert.equal(await store('get', key), 'first');
  const { keys } = await (await tokens()).list();
  const [{ name, expiration = 0 } = { name: '' }] = keys;
  assert.deepEqual([keys.length, name], [1, key]);
  assert.ok(Math.abs(expiration - Date.now() / 1000 - 3600) < 60, `${expiration}`);
});

test('KV has no atomic add, and keeps nothing for less than a minute', bound, async (t) => {
  const { store } = await start(t, 'kv');
  for (let i = 0; i < 2; i++) assert.equal(await store('add', `${key}:asking`, 'value', 10), true);
  await store('set', key, 'first', 59);
  assert.equal(await store('get', key), null);
});
