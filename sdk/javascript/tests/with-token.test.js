// A fetch with the token; on Node, Deno and Bun.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withToken } from '../src/index.js';
import { listen } from './server.js';
import { Sandbox } from './sandbox.js';
import { open, start } from './start.js';

/** @typedef {import('node:test').TestContext} TestContext */
/** @typedef {import('./server.js').Received} Received */

const bound = { timeout: 30_000 };
const bearer = /^Bearer \S+$/;

/**
 * Starts two servers, one of which is the service, and makes a fetch with its token.
 *
 * @param {TestContext} t
 */
async function startTwo(t) {
  const { sandbox } = await start(t);
  const [service, other] = [await listen(t), await listen(t)];
  const client = await open(t, sandbox, {}, { baseUrl: `${service.url.replace('http', 'HTTP')}/prefix/` });
  return { sandbox, service, other, client, send: withToken(client) };
}

test('only requests to the origin of baseUrl have the token', bound, async (t) => {
  const { sandbox, service, other, send } = await startTwo(t);
  const inputs = [other.url, new URL(other.url), new Request(other.url), `${service.url}/anywhere`];
  for (const input of inputs) assert.equal((await send(input)).status, 200);
  assert.deepEqual(
    other.received.map(({ headers }) => headers.authorization),
    [undefined, undefined, undefined],
  );
  const [request] = service.received;
  assert.match(request?.headers.authorization ?? '', bearer);
  assert.deepEqual([request?.headers.customer_id, request?.headers.user_id], [undefined, undefined]);
  await send(service.url, { headers: { authorization: 'Basic own' } });
  await send(new Request(service.url, { headers: { Authorization: 'Basic own' } }));
  assert.deepEqual(
    service.received.slice(1).map(({ headers }) => headers.authorization),
    ['Basic own', 'Basic own'],
  );
  assert.equal((await sandbox.counts()).token_requests, 1);
});

test('no redirect forwards the token to another origin', bound, async (t) => {
  const { service, other, send } = await startTwo(t);
  const to = (/** @type {number} */ status, /** @type {string} */ url) =>
    `${service.url}/?status=${status}&to=${encodeURIComponent(url)}`;
  for (const status of [301, 302, 303, 307, 308]) {
    for (const input of [to(status, other.url), new Request(to(status, other.url), { headers: { Cookie: 'a=b' } })]) {
      assert.equal((await send(input, { redirect: 'follow' })).status, 200);
      const { method, headers } = /** @type {Received} */ (other.received.pop());
      assert.deepEqual([method, headers.authorization, headers.cookie], ['GET', undefined, undefined]);
    }
    assert.equal((await send(to(status, other.url), { redirect: 'manual' })).status, status);
    const post = await send(to(status, other.url), { method: 'POST', body: 'text' });
    assert.equal(post.status, status === 303 ? 200 : status);
  }
  const [{ method, headers, body } = { headers: {} }] = other.received;
  assert.deepEqual([other.received.length, method, headers.authorization, body], [1, 'GET', undefined, '']);
  assert.equal(headers['content-type'], undefined);
  for (const { headers } of service.received) assert.match(headers.authorization ?? '', bearer);
  await assert.rejects(send(to(302, other.url), { redirect: 'error' }));
  assert.equal((await send(to(302, 'file:///etc/hostname'))).status, 302);
});

test('a redirect within the origin keeps the token', bound, async (t) => {
  const { service, send } = await startTwo(t);
  assert.equal((await send(`${service.url}/?status=302&to=/there`)).status, 200);
  assert.match(service.received[1]?.headers.authorization ?? '', bearer);
  const loop = encodeURIComponent(encodeURIComponent('/'));
  const circle = `${service.url}/?status=302&to=${encodeURIComponent(`?status=302&to=${loop}`)}`;
  assert.equal((await send(circle)).status, 200);
});

test('a redirect loop ends', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('jobs', { status: 302, headers: { Location: '/jobs' } });
  await assert.rejects(withToken(client)(`${client.baseUrl}/jobs`), {
    name: 'TypeError',
    message: 'too many redirects',
  });
  assert.equal((await sandbox.counts()).job_requests, 21);
});

test('a revoked token is replaced, and the request retried', bound, async (t) => {
  const { sandbox, client } = await start(t);
  const url = `${client.baseUrl}/jobs`;
  const send = withToken(client);
  const headers = { CUSTOMER_ID: 'customer', USER_ID: 'user' };
  assert.equal((await send(url, { headers })).status, 200);
  await sandbox.revoke();
  const all = await Promise.all(Array.from({ length: 20 }, () => send(url, { headers })));
  assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]));
  assert.equal((await sandbox.counts()).token_requests, 2);
});

test('a body is sent again, unless it is a stream', bound, async (t) => {
  const { sandbox, client } = await start(t);
  const url = `${client.baseUrl}/jobs`;
  const send = withToken(client);
  const method = 'POST';
  const stream = () => /** @type {RequestInit} */ ({ method, body: new Blob(['stream']).stream(), duplex: 'half' });
  /** @type {[() => [string | Request, RequestInit?], number][]} */
  const cases = [
    [() => [url, { method, body: 'text' }], 405],
    [() => [new Request(url, { method, body: 'request' })], 405],
    [() => [new Request(url, stream())], 405],
    [() => [new Request(url, { method, body: 'hidden' }), { body: 'init' }], 405],
    [() => [url, stream()], 401],
  ];
  const sent = ['text', 'text', 'request', 'request', 'stream', 'stream', 'init', 'init', 'stream'];
  for (const [input, status] of cases) {
    await client.getToken({ force: true }); // or the last retry's token would meet the 401, which is then final
    await sandbox.fault('jobs', { status: 401, requests: 1 });
    const response = await send(...input());
    await response.body?.cancel();
    assert.equal(response.status, status); // 405 is the response to the retry
  }
  assert.deepEqual(
    (await sandbox.requests('jobs')).map(({ body }) => body),
    sent,
  );
  const count = (await sandbox.counts()).token_requests;
  await client.getToken();
  assert.equal((await sandbox.counts()).token_requests, count); // the stream's 401 has renewed the token
});

test('service-401: returned if there is no other token', bound, async (t) => {
  const { sandbox, client } = await start(t);
  const url = `${client.baseUrl}/jobs`;
  const send = withToken(client);
  await sandbox.fault('jobs', { status: 401, body: 'no' });
  for (let i = 0; i < 2; i++) {
    const refused = await send(url); // the second time with a new token
    assert.deepEqual([refused.status, await refused.text()], [401, 'no']);
  }
  await client.clearToken();
  await client.getToken();
  await sandbox.fault('auth', { status: 400, body: '{"error":"invalid_client"}' });
  assert.equal((await send(url)).status, 401);
  await client.clearToken();
  await assert.rejects(send(url), { code: 'token_endpoint_rejected', oauthError: 'invalid_client' });
});

test('base-url: required', bound, async (t) => {
  const lost = await open(t, await Sandbox.start(t), {}, { baseUrl: undefined });
  assert.throws(() => withToken(lost), { name: 'RosteringError', code: 'config_missing', key: 'base_url' });
});

test('a custom fetch, and a signal', bound, async (t) => {
  const { client } = await start(t);
  /** @type {(string | null)[]} */
  const seen = [];
  const send = withToken(client, async (input, init) => {
    seen.push(new Headers(init?.headers).get('x-own'));
    return fetch(input, init);
  });
  await send(`${client.baseUrl}/jobs`, { headers: [['X-Own', 'a']] });
  assert.deepEqual(seen, ['a']);
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(send(new Request(`${client.baseUrl}/jobs`, { signal })), { message: 'enough' });
});
