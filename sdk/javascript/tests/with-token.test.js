// What withToken does with the arguments of fetch, and with redirects; on Node, Deno and Bun.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withToken } from '../src/index.js';
import { config, start } from './fake.js';

const bound = { timeout: 30_000 };
const { baseUrl } = config;
const other = 'https://other.invalid/';

/** Makes a fetch with the token of a service, which responds with these statuses, or as the query says, then with 200. */
async function startWithToken(/** @type {number[]} */ statuses = []) {
  const all = await start(({ url }) => {
    if (url.startsWith(config.authUrl)) return undefined;
    const query = new URL(url).searchParams;
    const status = Number(query.get('status') ?? statuses.shift() ?? 200);
    return new Response(null, { status, headers: { Location: query.get('to') ?? '' } });
  });
  return { ...all, send: withToken(all.client, all.fetch) };
}

test('a string, a URL or a Request, to the origin of baseUrl alone', bound, async () => {
  const { send, received } = await startWithToken();
  const authorization = async (/** @type {Parameters<typeof send>} */ ...args) => {
    assert.equal((await send(...args)).status, 200);
    return received.at(-1)?.headers.get('authorization');
  };
  for (const url of [`${baseUrl}/a`, new URL(baseUrl), new Request(baseUrl)]) {
    assert.equal(await authorization(url), 'Bearer token-0001');
  }
  for (const url of [other, new URL(other), new Request(other)]) assert.equal(await authorization(url), null);
  const own = new Request(baseUrl, { headers: { Authorization: 'Basic own' } });
  assert.equal(await authorization(own), 'Basic own');
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(send(new Request(baseUrl, { signal })), { message: 'enough' });
});

test('no redirect forwards the token to another origin', bound, async () => {
  const { send, received } = await startWithToken();
  const to = (/** @type {number} */ status, url = other) => `${baseUrl}/?status=${status}&to=${url}`;
  for (const status of [301, 302, 303, 307, 308]) {
    for (const input of [to(status), new Request(to(status), { headers: { Cookie: 'a=b' } })]) {
      assert.equal((await send(input, { redirect: 'follow' })).status, 200);
      const { url, headers } = received.at(-1) ?? {};
      assert.deepEqual([url, headers?.get('authorization'), headers?.get('cookie')], [other, null, null]);
    }
    assert.equal((await send(to(status), { redirect: 'manual' })).status, status);
    const post = await send(to(status), { method: 'POST', body: 'text' });
    assert.equal(post.status, status === 303 ? 200 : status);
  }
  for (const { url, body } of received) assert.ok(url !== other || body === '');
  assert.equal((await send(to(302, 'file:///etc/hostname'))).status, 302);
  assert.equal((await send(to(302, '/there'))).status, 200);
  assert.equal(received.at(-1)?.headers.get('authorization'), 'Bearer token-0001');
  const count = received.length;
  const loop = withToken(
    (await startWithToken()).client,
    async (url) => (received.push(url), Response.redirect(baseUrl)),
  );
  await assert.rejects(loop(baseUrl), { name: 'TypeError', message: 'too many redirects' });
  assert.equal(received.length - count, 21);
});

test('a response that send has read', bound, async () => {
  const statuses = [401, 302, 200];
  const { client } = await start();
  const send = withToken(client, async () => {
    const response = new Response('text', { status: statuses.shift() ?? 0, headers: { Location: '/' } });
    if (!response.ok) await response.text();
    return response;
  });
  await client.setToken(await client.getToken()); // which is replaced immediately
  assert.equal((await send(baseUrl)).status, 200);
});

test('a body is sent again after a 401, unless it is a stream', bound, async () => {
  const method = 'POST';
  const stream = () => /** @type {RequestInit} */ ({ method, body: new Blob(['stream']).stream(), duplex: 'half' });
  /** @type {[string | Request, RequestInit | undefined, string[]][]} */
  const cases = [
    [baseUrl, { method, body: 'text' }, ['text', 'text']],
    [new Request(baseUrl, { method, body: 'request' }), undefined, ['request', 'request']],
    [new Request(baseUrl, stream()), undefined, ['stream', 'stream']],
    [new Request(baseUrl, { method, body: 'hidden' }), { body: 'init' }, ['init', 'init']],
    [baseUrl, stream(), ['stream']],
  ];
  for (const [input, init, sent] of cases) {
    const { send, client, ofService } = await startWithToken([401]);
    await client.setToken(await client.getToken()); // which is replaced immediately
    assert.equal((await send(input, init)).status, sent.length === 2 ? 200 : 401);
    assert.deepEqual(
      ofService().map(({ body }) => body),
      sent,
    );
    assert.equal((await client.getToken()).accessToken, 'token-0002');
  }
});
