// What the client does in the manner of JavaScript; on Node, Deno and Bun. That it does what every library does is
// proven by tests/conformance.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import createPlugin from 'extism';
import { MemoryStore, Rostering, RosteringError, Token } from '../rostering/index.js';
import { answer, breakOff, failure, held, jobs, secret, Service, start } from './service.js';

const bound = { timeout: 30_000 };
const wasm = new URL('../rostering/rostering-nowasi.wasm', import.meta.url);

test('a token', bound, async (t) => {
  const { client } = await start(t, {}, { baseUrl: undefined, customerId: undefined });
  const token = await client.getToken();
  assert.deepEqual([token.accessToken, token.tokenType], ['token-1', 'Bearer']);
  assert.ok(token.expiresAt > new Date());
  assert.equal((await client.getToken({ force: true })).accessToken, 'token-2');
  assert.equal((await client.getToken({ refused: 'token-1' })).accessToken, 'token-2');
});

test('a response is that of fetch', bound, async (t) => {
  const { service, client } = await start(t);
  service.jobs = answer(203, jobs, { 'X-Own': 'a', 'Content-Type': 'application/json' });
  const response = await client.listJobs({ customerId: 'other', userId: null });
  assert.ok(response instanceof Response);
  assert.deepEqual([response.status, response.ok, response.headers.get('x-own')], [203, true, 'a']);
  assert.deepEqual(await response.json(), [{ id: 1 }]);
  const { customer_id, user_id } = service.jobRequests[0] ?? {};
  assert.deepEqual([customer_id, user_id], ['other', undefined]);

  service.jobs = answer(204, '');
  assert.equal(await (await client.listJobs()).text(), '');
  service.jobs = answer(200, gzipSync(jobs), { 'Content-Encoding': 'gzip' });
  const decoded = await client.listJobs();
  assert.deepEqual([await decoded.text(), decoded.headers.get('content-encoding')], [jobs, null]);
});

test('requests of your own, with all that fetch takes', bound, async (t) => {
  const { service, client } = await start(t);
  const form = new FormData();
  form.set('a', 'é');
  /** @type {[import('../rostering/index.js').Body | null, RegExp, string | undefined][]} */
  const bodies = [
    ['{"a":"é"}', /^{"a":"é"}$/, undefined],
    ['', /^$/, undefined],
    [null, /^$/, undefined],
    [new TextEncoder().encode('bytes'), /^bytes$/, undefined],
    [new Blob(['blob'], { type: 'text/csv' }), /^blob$/, 'text/csv'],
    [new URLSearchParams({ a: 'b c' }), /^a=b\+c$/, 'application/x-www-form-urlencoded;charset=UTF-8'],
    [new Blob(['stream']).stream(), /^stream$/, undefined],
    [() => new Blob(['new stream']).stream(), /^new stream$/, undefined],
    [form, /name="a"\r\n\r\né/, undefined],
  ];
  for (const [body, sent, type] of bodies) {
    await client.sendRequest({ path: '/jobs/7?dry=yes', method: 'PUT', body, headers: new Headers({ 'X-Own': 'a' }) });
    const headers = service.jobRequests.at(-1) ?? {};
    assert.match(service.bodies.at(-1) ?? '', sent);
    assert.deepEqual([headers.authorization, headers['x-own']], ['Bearer token-1', 'a']);
    if (body === form) assert.match(headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
    else assert.equal(headers['content-type'], type);
  }
  await assert.rejects(client.sendRequest({ path: '//host' }), { code: 'invalid_input', key: 'path' });
});

test('a body is sent again after a 401, unless it is a stream', bound, async (t) => {
  const { service, client } = await start(t);
  const stream = () => new Blob(['stream']).stream();
  for (const body of ['text', stream]) {
    await client.getToken({ force: true });
    service.revoke();
    assert.equal((await client.sendRequest({ path: '/', method: 'POST', body })).status, 200);
  }
  assert.deepEqual(service.bodies, ['text', 'text', 'stream', 'stream']);
  await client.getToken({ force: true });
  service.revoke();
  const error = await failure(client.sendRequest({ path: '/', method: 'POST', body: stream() }));
  assert.ok(error instanceof RosteringError);
  assert.deepEqual([error.code, error.status, error.retryable], ['service_unauthorized', 401, false]);
  assert.equal((await client.sendRequest({ path: '/', method: 'POST', body: stream() })).status, 200);
  const own = () => Promise.reject(new Error('my own'));
  await assert.rejects(client.sendRequest({ path: '/', method: 'POST', body: own }), { message: 'my own' });
});

test('an error, printed and as JSON', bound, async (t) => {
  const { service, client } = await start(t);
  service.prefix = 'access-token-';
  service.jobs = answer(503, 'busy', { 'Retry-After': '7' });
  const error = await failure(client.listJobs());
  assert.ok(error instanceof RosteringError && error instanceof Error);
  const known = { code: 'service_error', message: error.message, retryable: true, status: 503, retryAfter: 7 };
  assert.equal(String(error), `service_error: ${error.message}`);
  assert.deepEqual(JSON.parse(JSON.stringify(error)), { ...known, body: 'busy' });
  assert.match(inspect(error), /RosteringError: /);
  const wrong = await start(t, {}, { clientSecret: 'not-the-secret' });
  const expected = { code: 'token_endpoint_rejected', oauthError: 'invalid_client', oauthErrorDescription: 'unknown' };
  await assert.rejects(wrong.client.listJobs(), expected);
  const typo = await start(t, {}, { environment: /** @type {any} */ ('test') });
  await assert.rejects(typo.client.listJobs(), { code: 'config_invalid', key: 'environment' });
});

test('neither secret nor token shows', bound, async (t) => {
  const { service, client } = await start(t);
  service.prefix = 'access-token-';
  const token = await client.getToken();
  service.jobs = answer(500, `${secret} ${token.accessToken}`);
  const answered = await failure(client.listJobs());
  assert.equal(answered.body, '[redacted] [redacted]');
  service.jobs = service.token = breakOff;
  const lost = await failure(client.listJobs());
  const refused = await failure(client.getToken({ force: true }));
  assert.deepEqual([answered.code, lost.code, refused.code], ['service_error', 'network_error', 'network_error']);
  assert.ok(lost.cause instanceof Error);
  const all = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: false };
  for (const value of [client, token, answered, lost, refused]) {
    for (const shown of [String(value), JSON.stringify(value), inspect(value), inspect(value, all)]) {
      assert.ok(!shown.includes(secret) && !shown.includes(token.accessToken), shown);
    }
  }
});

test('a time-out, of the client or of a call', bound, async (t) => {
  const { service, client } = await start(t, { timeoutMs: 1 });
  service.jobs = () => {};
  const options = { code: 'network_error', retryable: true, message: /timed out after/ };
  await assert.rejects(client.listJobs({ timeoutMs: 200 }), options);
  await assert.rejects(client.listJobs(), options);
  for (const timeoutMs of [0, Number.POSITIVE_INFINITY, 2 ** 40]) {
    const { hold, response } = held();
    service.jobs = hold;
    const call = client.listJobs({ timeoutMs });
    answer(200, jobs)(await response);
    assert.equal((await call).status, 200);
  }
});

test('a call that is aborted', bound, async (t) => {
  const { service, client } = await start(t);
  const controller = new AbortController();
  const { signal } = controller;
  service.jobs = () => controller.abort(new Error('enough'));
  await assert.rejects(client.listJobs({ signal }), { message: 'enough' });
  await assert.rejects(client.listJobs({ signal }), { message: 'enough' });
  await assert.rejects(client.getToken({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.equal(service.jobRequests.length, 1);
});

test('an aborted call leaves its token request to the next', bound, async (t) => {
  /** @type {Promise<unknown>[]} */
  const left = [];
  const { service, client } = await start(t, { waitUntil: (section) => left.push(section) });
  const good = service.token;
  const controller = new AbortController();
  const { hold, response } = held();
  service.token = hold;
  const aborted = client.listJobs({ signal: controller.signal });
  const waiting = await response;
  controller.abort(new Error('enough'));
  await assert.rejects(aborted, { message: 'enough' });
  good(waiting);
  assert.equal((await client.listJobs()).status, 200);
  assert.equal(service.tokenRequests.length, 1);
  await Promise.all(left);
});

test('a time of your own', bound, async (t) => {
  const { client } = await start(t);
  const now = 2_000_000_000;
  const token = await client.getToken({ now });
  assert.equal(token.expiresAt.getTime(), (now + 3600) * 1000);
  await assert.rejects(client.setToken(token, { now: now + 3600 }), { code: 'token_mismatch' });
});

test('a token travels, and is forgotten', bound, async (t) => {
  const first = await start(t);
  const { service, client } = await start(t, {}, first.service.config);
  const token = await first.client.getToken();
  await client.setToken(new Token(JSON.parse(JSON.stringify(token.toObject()))));
  assert.deepEqual(await client.getToken(), token);
  assert.equal(service.tokenRequests.length, 0);
  await client.clearToken();
  assert.equal((await client.getToken()).accessToken, 'token-2');
});

test('clients with one store make one token request', bound, async (t) => {
  const store = new MemoryStore();
  const { service, client } = await start(t, { store });
  const others = await Promise.all([1, 2, 3].map(() => Rostering.open(service.config, { store })));
  await Promise.all([client, ...others].map((client) => client.listJobs()));
  assert.equal(service.tokenRequests.length, 1);
  for (const other of others) await other.close();
});

test('a store that throws, or never answers, costs the sharing alone', bound, async (t) => {
  const fails = async () => Promise.reject(new Error('down'));
  const hangs = () => new Promise(() => {});
  for (const get of [fails, hangs]) {
    const { client } = await start(t, { store: { get: /** @type {any} */ (get), add: fails, set: fails } });
    assert.equal((await client.listJobs()).status, 200);
  }
});

test('log lines, a fetch of your own, and a bound for answers', bound, async (t) => {
  /** @type {string[]} */
  const lines = [];
  const log = (/** @type {string} */ line) => void lines.push(line);
  /** @type {string[]} */
  const urls = [];
  const own = async (/** @type {string} */ url, /** @type {RequestInit} */ init) => {
    urls.push(url);
    return fetch(url, init);
  };
  const logger = { debug: log, info: log, warn: log, error: log };
  const { service, client } = await start(t, { logger, fetch: own, maxBody: jobs.length });
  service.prefix = 'access-token-';
  await client.listJobs();
  assert.deepEqual(urls, [`${service.url}/connect/token`, `${service.url}/jobs`]);
  assert.match(lines.join(), /^HTTP 200/);
  service.jobs = answer(200, `${jobs} `);
  await assert.rejects(client.listJobs(), { code: 'network_error', message: /longer than 10 bytes/ });
});

test('a plugin of your own', bound, async (t) => {
  const bytes = await readFile(wasm);
  const path = wasm.pathname;
  /** @type {import('../rostering/index.js').Source[]} */
  const sources = [path, wasm, bytes, bytes.buffer, await WebAssembly.compile(bytes)];
  sources.push((options) => createPlugin(path, options));
  for (const plugin of sources) assert.ok(await (await start(t, { plugin })).client.getToken());
  await assert.rejects(Rostering.open(new Service().config, { plugin: bytes.subarray(0, 100) }));
});

test('in a worker', bound, async (t) => {
  const { service, client } = await start(t, { worker: true });
  await Promise.all(Array.from({ length: 50 }, () => client.listJobs()));
  assert.deepEqual([service.tokenRequests.length, service.jobRequests.length], [1, 50]);
});

test('a closed client', bound, async (t) => {
  const { client } = await start(t);
  let done = 0;
  for (let i = 0; i < 8; i++) client.listJobs().then(() => done++);
  await client.close();
  assert.equal(done, 8);
  for (const call of [() => client.listJobs(), () => client.getToken(), () => client.clearToken()]) {
    await assert.rejects(call, { message: 'the client is closed' });
  }
  await client[Symbol.asyncDispose]();
});
