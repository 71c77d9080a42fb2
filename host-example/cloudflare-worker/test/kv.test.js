import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Miniflare } from 'miniflare';
import { startWorker } from '../local/worker.js';
import { answer, jobs, listen } from './service.js';

const bound = { timeout: 60_000 };

/** @param {import('node:test').TestContext} t */
async function folder(t) {
  const kv = await mkdtemp(join(tmpdir(), 'tokens-'));
  t.after(() => rm(kv, { recursive: true }));
  return kv;
}

/**
 * One request to the Worker in an isolate of its own.
 *
 * @param {import('../local/worker.js').Options} options
 */
async function inNewIsolate(options) {
  const worker = await startWorker('src/index.ts', options);
  try {
    return await (await fetch(new URL('/jobs', worker.url))).text();
  } finally {
    await worker.end();
  }
}

/**
 * @template T
 * @param {string} kv
 * @param {(tokens: Awaited<ReturnType<Miniflare['getKVNamespace']>>) => Promise<T>} use
 */
async function inKv(kv, use) {
  const miniflare = new Miniflare({ modules: true, script: '', kvNamespaces: ['TOKENS'], kvPersist: kv });
  try {
    return await use(await miniflare.getKVNamespace('TOKENS'));
  } finally {
    await miniflare.dispose();
  }
}

test('the next isolate uses the token', bound, async (t) => {
  const service = await listen(t);
  const kv = await folder(t);
  assert.equal(await inNewIsolate({ kv, bindings: service.bindings }), jobs);
  assert.equal(await inNewIsolate({ kv, bindings: service.bindings }), jobs);
  assert.equal(service.tokenRequests.length, 1);
  assert.equal(service.jobRequests[1]?.authorization, 'Bearer token-1');
  const token = await inKv(kv, (tokens) => tokens.get('token', 'json'));
  assert.deepEqual(Object.keys(Object(token)), ['access_token', 'token_type', 'expires_at', 'cache_key']);
  const { keys } = await inKv(kv, (tokens) => tokens.list());
  assert.equal(keys[0]?.expiration, Object(token).expires_at);
});

test('a token that was revoked is replaced in KV too', bound, async (t) => {
  const service = await listen(t);
  const kv = await folder(t);
  await inNewIsolate({ kv, bindings: service.bindings });
  service.jobs = (response) => {
    const revoked = service.jobRequests.at(-1)?.authorization === 'Bearer token-1';
    answer(revoked ? 401 : 200, revoked ? '' : jobs)(response);
  };
  assert.equal(await inNewIsolate({ kv, bindings: service.bindings }), jobs);
  assert.equal(await inNewIsolate({ kv, bindings: service.bindings }), jobs);
  assert.equal(service.tokenRequests.length, 2);
});

test('a token of another client, or anything else, is not used', bound, async (t) => {
  const service = await listen(t);
  const kv = await folder(t);
  let log = '';
  const options = { kv, log: (/** @type {string} */ _, /** @type {string} */ line) => (log += `${line}\n`) };
  await inNewIsolate({ ...options, bindings: service.bindings });
  const other = { ...service.bindings, ROSTERING_CLIENT_ID: 'another' };
  assert.equal(await inNewIsolate({ ...options, bindings: other }), jobs);
  for (const value of ['token-1 is no JSON', '5', '{"access_token":7}']) {
    await inKv(kv, (tokens) => tokens.put('token', value));
    assert.equal(await inNewIsolate({ ...options, bindings: other }), jobs, value);
  }
  assert.equal(service.tokenRequests.length, 5);
  assert.match(log, /no token from KV: RosteringError: cache_key /);
  assert.match(log, /no token from KV: it is no JSON/);
  assert.ok(!log.includes('token-1'), log);
});
