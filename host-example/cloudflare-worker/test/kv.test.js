import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startWorker } from '../local/worker.js';
import { answer, jobs, listen } from './service.js';

const bound = { timeout: 60_000 };
const key = (/** @type {import('./service.js').Service} */ { port }) =>
  `rostering:http%3A%2F%2F127.0.0.1%3A${port}%2Fconnect%2Ftoken:client:automatic-rostering-stage`;

/**
 * A service, and isolates that share a KV.
 *
 * @param {import('node:test').TestContext} t
 * @param {number} isolates
 * @param {Record<string, string>} [bindings]
 */
async function start(t, isolates, bindings) {
  const service = await listen(t);
  /** @type {string[]} */
  const log = [];
  const worker = await startWorker('src/index.ts', {
    bindings: { ...service.bindings, ...bindings },
    isolates,
    log: (_, line) => log.push(line),
  });
  t.after(() => worker.end());
  /** @param {number} isolate */
  const get = async (isolate) => (await fetch(new URL('/jobs', worker.urls[isolate]))).text();
  return { service, log, get, tokens: await worker.tokens() };
}

test('the next isolate uses the token', bound, async (t) => {
  const { service, get, tokens } = await start(t, 2);
  assert.equal(await get(0), jobs);
  assert.equal(await get(1), jobs);
  assert.equal(service.tokenRequests.length, 1);
  assert.equal(service.jobRequests[1]?.authorization, 'Bearer token-1');
  const token = /** @type {any} */ (await tokens.get(key(service), 'json'));
  assert.deepEqual(Object.keys(token), ['access_token', 'token_type', 'expires_at', 'cache_key']);
  assert.equal(token.cache_key, key(service));
  const { keys } = await tokens.list();
  assert.deepEqual(
    keys.map(({ name, expiration }) => [name, expiration]),
    [[key(service), token.expires_at]],
  );
});

test('a token that was revoked is replaced in KV too', bound, async (t) => {
  const { service, get } = await start(t, 2);
  await get(0);
  service.jobs = (response) => {
    const revoked = service.jobRequests.at(-1)?.authorization === 'Bearer token-1';
    answer(revoked ? 401 : 200, revoked ? '' : jobs)(response);
  };
  assert.equal(await get(0), jobs);
  assert.equal(await get(1), jobs);
  assert.equal(service.tokenRequests.length, 2);
});

test('what is no token of this client is not used', bound, async (t) => {
  const values = ['token-1 is no JSON', '5', '{"access_token":7}'];
  const { service, log, get, tokens } = await start(t, 5);
  await get(0);
  const token = /** @type {any} */ (await tokens.get(key(service), 'json'));
  const another = JSON.stringify({ ...token, cache_key: token.cache_key.replace('client', 'another') });
  for (const [i, value] of [...values, another].entries()) {
    await tokens.put(key(service), value);
    assert.equal(await get(i + 1), jobs, value);
  }
  assert.equal(service.tokenRequests.length, 5);
  const text = log.join('\n');
  assert.match(text, /no token from KV: RosteringError: cache_key /);
  assert.match(text, /no token from KV: it is no JSON/);
  assert.ok(!text.includes('token-1'), text);
});

test('a key that is too long for KV', bound, async (t) => {
  const { service, log, get, tokens } = await start(t, 2, { ROSTERING_CLIENT_ID: 'c'.repeat(500) });
  for (const isolate of [0, 1, 0, 1]) assert.equal(await get(isolate), jobs);
  assert.equal(service.tokenRequests.length, 2);
  assert.deepEqual((await tokens.list()).keys, []);
  assert.match(log.join('\n'), /the token is not shared: its key has \d{3} bytes, and KV takes 512/);
});

test('a KV that never answers', bound, async (t) => {
  const service = await listen(t);
  const worker = await startWorker('test/broken-kv.worker.ts', { bindings: { ...service.bindings, KV: 'hangs' } });
  t.after(() => worker.end());
  for (let i = 0; i < 2; i++) assert.equal(await (await fetch(new URL('/jobs', worker.url))).text(), jobs);
  assert.equal(service.tokenRequests.length, 1);
});
