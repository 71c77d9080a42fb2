import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Client } from '../local/client.js';
import { answer, breakOff, held, jobs, secret, start, until } from './service.js';

const bound = { timeout: 60_000 };

/**
 * The problem in a response.
 *
 * @param {Response} response
 * @returns {Promise<{status: number, retryAfter: string | null, body: any}>}
 */
const problem = async (response) => {
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
};

test('the second request uses the token of the first', bound, async (t) => {
  const { service, get } = await start(t);
  for (const response of [await get(), await get()]) {
    assert.equal(response.status, 200);
    assert.equal(await response.text(), jobs);
    assert.equal(response.headers.get('cache-control'), 'no-store');
  }
  assert.equal(service.tokenRequests.length, 1);
  const { authorization, customer_id, user_id } = service.jobRequests[1] ?? {};
  assert.deepEqual(
    { authorization, customer_id, user_id },
    { authorization: 'Bearer token-1', customer_id: 'customer', user_id: 'user' },
  );
});

test('a large body, byte for byte', bound, async (t) => {
  const { service, get } = await start(t);
  const body = randomBytes(3 << 20);
  service.jobs = answer(200, body);
  assert.ok(body.equals(Buffer.from(await (await get()).arrayBuffer())));
});

test('requests run at once, with one token', bound, async (t) => {
  const { service, get } = await start(t);
  /** @type {import('node:http').ServerResponse[]} */
  const held = [];
  service.jobs = (response) => void held.push(response);
  const calls = Array.from({ length: 20 }, () => get());
  await until(() => held.length === 20);
  for (const response of held) answer(200, jobs)(response);
  for (const call of calls) assert.equal(await (await call).text(), jobs);
  assert.equal(service.tokenRequests.length, 1);
});

// So many that V8 optimizes the code: only then does it show when a request goes on in place of another.
test('a token is revoked while requests run', bound, async (t) => {
  const { service, get } = await start(t);
  service.jobs = (response) => {
    const { length } = service.jobRequests;
    const revoked = length > 200 && service.jobRequests[length - 1]?.authorization === 'Bearer token-1';
    void setTimeout(3).then(() => answer(revoked ? 401 : 200, jobs)(response));
  };
  const client = async () => {
    for (let i = 0; i < 30; i++) assert.equal(await (await get()).text(), jobs);
  };
  await Promise.all(Array.from({ length: 20 }, client));
  assert.equal(service.tokenRequests.length, 2);
});

test('a client that hangs up leaves its token request to the others', bound, async (t) => {
  const { service, get, url } = await start(t);
  const { token } = service;
  const { hold, response } = held();
  const client = new Client();
  service.token = hold;
  const left = client.send(url);
  const waiting = await response;
  client.hangUp();
  await assert.rejects(left, { code: 'ECONNRESET' });
  const others = [get(), get()];
  token(waiting);
  for (const other of others) assert.equal(await (await other).text(), jobs);
  assert.equal(service.tokenRequests.length, 1);
});

test('a request to the service ends with its client', bound, async (t) => {
  const { service, get, url } = await start(t);
  const { hold, response } = held();
  const client = new Client();
  service.jobs = hold;
  const left = client.send(url);
  const waiting = await response;
  client.hangUp();
  await assert.rejects(left, { code: 'ECONNRESET' });
  if (!waiting.destroyed) await once(waiting, 'close', { signal: AbortSignal.timeout(20_000) });
  service.jobs = answer(200, jobs);
  assert.equal(await (await get()).text(), jobs);
});

test('the identity provider refuses the client', bound, async (t) => {
  const { get } = await start(t, { ROSTERING_CLIENT_SECRET: 'wrong' });
  const { status, retryAfter, body } = await problem(await get());
  assert.deepEqual([status, retryAfter, body.code], [502, null, 'token_endpoint_rejected']);
  assert.deepEqual(Object.keys(body), ['title', 'status', 'code', 'detail']);
});

test('the identity provider is down, then up', bound, async (t) => {
  const { service, get } = await start(t);
  const { token } = service;
  service.token = answer(500, '');
  const { status, retryAfter, body } = await problem(await get());
  assert.deepEqual([status, retryAfter, body.code], [503, '1', 'token_endpoint_unavailable']);
  service.token = token;
  await until(() => service.tokenRequests.length === 1);
  assert.equal((await get()).status, 503); // within the wait
  assert.equal(service.tokenRequests.length, 1);
});

test('the service answers an error', bound, async (t) => {
  const { service, get } = await start(t);
  service.jobs = answer(404, 'its own affair');
  const gone = await problem(await get());
  assert.deepEqual([gone.status, gone.body.code], [502, 'service_error']);
  assert.ok(!JSON.stringify(gone.body).includes('its own affair'));
  service.jobs = answer(429, '');
  const busy = await problem(await get());
  assert.deepEqual([busy.status, busy.retryAfter, busy.body.code], [503, '1', 'service_error']);
});

test('a request that gets no answer, then one that does', bound, async (t) => {
  const { service, get } = await start(t);
  service.jobs = breakOff;
  const lost = await problem(await get());
  assert.deepEqual([lost.status, lost.retryAfter, lost.body.code], [503, '1', 'network_error']);
  service.jobs = answer(200, jobs);
  assert.equal(await (await get()).text(), jobs);
  assert.equal(service.tokenRequests.length, 1);
});

test('a setting is missing', bound, async (t) => {
  const { get } = await start(t, { ROSTERING_CLIENT_ID: '' });
  const { status, body } = await problem(await get());
  assert.deepEqual([status, body.code], [500, 'config_missing']);
});

test('other requests', bound, async (t) => {
  const { service, get } = await start(t);
  assert.equal((await problem(await get('/'))).status, 404);
  const post = await get('/jobs', { method: 'POST' });
  assert.equal(post.headers.get('allow'), 'GET');
  assert.equal((await problem(post)).status, 405);
  assert.equal(service.tokenRequests.length, 0);
});

test('neither secret nor token shows', bound, async (t) => {
  let log = '';
  const { service, get } = await start(t, {}, { log: (level, line) => (log += `${level} ${line}\n`) });
  service.jobs = (response) => answer(500, `${secret} ${service.jobRequests[0]?.authorization}`)(response);
  const body = await (await get()).text();
  await until(() => log.includes('service_error'));
  assert.match(log, /^debug HTTP 200 to POST /m);
  for (const text of [log, body]) assert.ok(!text.includes(secret) && !text.includes('token-1'), text);
});
