import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { listen } from '../../../tests/server.js';
import { startWorker } from '../../../../../host-example/workerd/local.js';

const bound = { timeout: 60_000 };
const ids = {
  ROSTERING_CLIENT_ID: 'client',
  ROSTERING_CLIENT_SECRET: 'the-secret',
  ROSTERING_CUSTOMER_ID: 'customer',
  ROSTERING_USER_ID: 'user',
};
const key = 'rostering:https%3A%2F%2Flogin:client:scope';

/** Starts a Worker with a store. @param {import('node:test').TestContext} t @param {'kv' | 'durable-object'} kind */
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
  const added = await Promise.all(Array.from({ length: 50 }, (_, i) => store('add', key, `${i}`, 60)));
  assert.deepEqual([added.filter(Boolean).length, await store('get', key)], [1, `${added.indexOf(true)}`]);
  await store('set', key, 'set', 1);
  assert.deepEqual([await store('get', key), await store('get', `${key}:lock`)], ['set', null]);
  while (!(await store('isEmpty', key))) await setTimeout(10); // it deletes an expired value
  assert.deepEqual([await store('add', key, 'next', 60), await store('get', key)], [true, 'next']);
});

test('KV, which has no atomic add, and keeps nothing for less than a minute', bound, async (t) => {
  const { store, tokens } = await start(t, 'kv');
  for (let i = 0; i < 2; i++) assert.equal(await store('add', `${key}:lock`, 'value', 10), true);
  await store('set', key, 'first', 59);
  assert.equal(await store('get', key), null);
  await store('set', key, 'first', 3600);
  assert.equal(await store('get', key), 'first');
  const [{ name, expiration = 0 } = { name: '' }, ...others] = (await (await tokens()).list()).keys;
  assert.deepEqual([name, others], [key, []]);
  assert.ok(Math.abs(expiration - Date.now() / 1000 - 3600) < 60, `${expiration}`);
});

test('isolates share a token through a Durable Object', bound, async (t) => {
  let tokens = 0;
  const url = await listen(t, (request, response) => {
    if (request.url === '/jobs') return response.end('jobs');
    tokens++;
    return response.end('{"access_token":"a-token","token_type":"Bearer","expires_in":3600}');
  });
  const bindings = { ROSTERING_AUTH_URL: url, ROSTERING_BASE_URL: url, ROSTERING_ENVIRONMENT: 'stage', ...ids };
  const jobs = new URL('../../../../../host-example/workerd/jobs.ts', import.meta.url);
  const worker = await startWorker(jobs, { bindings, stores: ['durable-object'], isolates: 6 });
  t.after(() => worker.end());
  const responses = await Promise.all([...worker.urls, ...worker.urls].map(async (url) => (await fetch(url)).text()));
  assert.deepEqual([responses, tokens], [Array(12).fill('jobs'), 1]);
});
