import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Caller } from './hang-up.js';
import { start, until } from './start.js';

const bound = { timeout: 60_000 };

/**
 * Returns the problem in a response.
 *
 * @param {Response} response
 * @returns {Promise<{status: number, retryAfter: string | null, body: any}>}
 */
const problem = async (response) => {
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
};

test('the second request uses the token of the first', bound, async (t) => {
  const { sandbox, get } = await start(t);
  for (const response of [await get(), await get()]) {
    assert.equal(response.status, 200);
    const { customer_id, user_id } = /** @type {any} */ (await response.json());
    const { ROSTERING_CUSTOMER_ID, ROSTERING_USER_ID } = sandbox.env;
    assert.deepEqual([customer_id, user_id], [ROSTERING_CUSTOMER_ID, ROSTERING_USER_ID]);
    assert.equal(response.headers.get('cache-control'), 'no-store');
  }
  assert.deepEqual(await sandbox.counts(), { token_requests: 1, job_requests: 2 });
});

test('a large body, byte for byte', bound, async (t) => {
  const { sandbox, get } = await start(t);
  const body = randomBytes(700_000);
  await sandbox.fault('jobs', { status: 200, body_base64: body.toString('base64') });
  assert.ok(body.equals(Buffer.from(await (await get()).arrayBuffer())));
});

test('concurrent requests share one token', bound, async (t) => {
  const { sandbox, get } = await start(t);
  await sandbox.fault('jobs', { hold: true });
  const calls = Array.from({ length: 20 }, () => get());
  await sandbox.wait({ job_requests: 20 });
  await sandbox.clearFaults();
  for (const call of calls) assert.equal((await call).status, 200);
  assert.equal((await sandbox.counts()).token_requests, 1);
});

// So many requests that V8 optimizes the code: only then it shows if workerd resumes the wrong request.
test('a token is revoked while requests run', bound, async (t) => {
  const { sandbox, get } = await start(t);
  await sandbox.fault('jobs', { delay_ms: 3 });
  const client = async () => {
    for (let i = 0; i < 30; i++) assert.equal((await get()).status, 200);
  };
  const clients = Promise.all(Array.from({ length: 20 }, client));
  await sandbox.wait({ job_requests: 200 });
  await sandbox.revoke();
  await clients;
  assert.equal((await sandbox.counts()).token_requests, 2);
});

test('the token request of a client that disconnects continues for the others', bound, async (t) => {
  const { sandbox, get, url } = await start(t);
  const client = new Caller();
  await sandbox.fault('auth', { hold: true });
  const left = client.send(url);
  await sandbox.wait({ token_requests: 1 });
  client.hangUp();
  await assert.rejects(left, { code: 'ECONNRESET' });
  const others = [get(), get()];
  await sandbox.clearFaults();
  for (const other of others) assert.equal((await other).status, 200);
  assert.equal((await sandbox.counts()).token_requests, 1);
});

test('the identity provider refuses the client', bound, async (t) => {
  const { get } = await start(t, { ROSTERING_CLIENT_SECRET: 'wrong' });
  const { status, retryAfter, body } = await problem(await get());
  assert.deepEqual([status, retryAfter, body.code], [502, null, 'token_endpoint_rejected']);
  assert.deepEqual(Object.keys(body), ['title', 'status', 'code', 'detail']);
});

test('the identity provider is down, then up', bound, async (t) => {
  const { sandbox, get } = await start(t);
  await sandbox.fault('auth', { status: 500 });
  const { status, retryAfter, body } = await problem(await get());
  assert.deepEqual([status, retryAfter, body.code], [503, '1', 'token_endpoint_unavailable']);
  await sandbox.clearFaults();
  await until(async () => (await get()).status === 200);
});

test('the service responds with an error', bound, async (t) => {
  const { sandbox, get } = await start(t);
  await sandbox.fault('jobs', { status: 404, body: 'internal details' });
  const gone = await problem(await get());
  assert.deepEqual([gone.status, gone.body.code], [502, 'service_error']);
  assert.ok(!JSON.stringify(gone.body).includes('internal details'));
  await sandbox.fault('jobs', { status: 429 });
  const busy = await problem(await get());
  assert.deepEqual([busy.status, busy.retryAfter, busy.body.code], [503, '1', 'service_error']);
});

test('a request without a response, then one with a response', bound, async (t) => {
  const { sandbox, get } = await start(t);
  await sandbox.fault('jobs', { cut_off: true });
  const lost = await problem(await get());
  assert.deepEqual([lost.status, lost.retryAfter, lost.body.code], [503, '1', 'network_error']);
  await sandbox.clearFaults();
  assert.equal((await get()).status, 200);
  assert.equal((await sandbox.counts()).token_requests, 1);
});

test('a setting is missing', bound, async (t) => {
  const { get } = await start(t, { ROSTERING_CLIENT_ID: '' });
  const { status, body } = await problem(await get());
  assert.deepEqual([status, body.code], [500, 'config_missing']);
});

test('other requests', bound, async (t) => {
  const { sandbox, get } = await start(t);
  assert.equal((await problem(await get('/'))).status, 404);
  const post = await get('/jobs', { method: 'POST' });
  assert.equal(post.headers.get('allow'), 'GET');
  assert.equal((await problem(post)).status, 405);
  assert.equal((await sandbox.counts()).token_requests, 0);
});

test('neither secret nor token shows', bound, async (t) => {
  let log = '';
  const { sandbox, get } = await start(t, {}, { log: (level, line) => (log += `${level} ${line}\n`) });
  await get();
  const token = (await sandbox.requests('jobs'))[0]?.headers.authorization?.replace('Bearer ', '') ?? '';
  const secret = sandbox.env.ROSTERING_CLIENT_SECRET;
  await sandbox.fault('jobs', { status: 500, body: `${secret} ${token}` });
  const body = await (await get()).text();
  await until(() => log.includes('service_error'));
  assert.match(log, /^debug HTTP 200 to POST /m);
  for (const text of [log, body]) assert.ok(!text.includes(secret) && !text.includes(token), text);
});
