// What the client does in the manner of JavaScript; on Node, Deno and Bun. That it does what every library does is
// proven by tests/conformance.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import createPlugin from 'extism';
import { contract, Client, RosteringError, Token, version } from '../src/index.js';
import { fakePlugin } from './fake-plugin.js';
import { Sandbox } from './sandbox.js';
import { open, start } from './start.js';

const bound = { timeout: 30_000 };
const wasm = new URL('../src/rostering-nowasi.wasm', import.meta.url);
const root = new URL('../../../', import.meta.url);
const jobs = '[{"id":1}]';

test('a token', bound, async (t) => {
  const { sandbox, client } = await start(t, {}, { baseUrl: undefined, customerId: undefined });
  const token = await client.getToken();
  assert.equal(token.tokenType, 'Bearer');
  assert.ok(token.expiresAt > new Date());
  const { accessToken } = await client.getToken({ force: true });
  assert.notEqual(accessToken, token.accessToken);
  assert.equal((await client.getToken({ refused: token.accessToken })).accessToken, accessToken);
  assert.equal((await sandbox.counts()).token_requests, 2);
});

test('a response is that of fetch', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('jobs', { status: 203, body: jobs, headers: { 'X-Own': 'a' } });
  const response = await client.listJobs({ customerId: 'other', userId: null });
  assert.ok(response instanceof Response);
  assert.deepEqual([response.status, response.ok, response.headers.get('x-own')], [203, true, 'a']);
  assert.deepEqual(await response.json(), [{ id: 1 }]);
  const { customer_id, user_id } = (await sandbox.requests('jobs'))[0]?.headers ?? {};
  assert.deepEqual([customer_id, user_id], ['other', undefined]);

  await sandbox.fault('jobs', { status: 204 });
  assert.equal(await (await client.listJobs()).text(), '');
  const gzipped = { body_base64: gzipSync(jobs).toString('base64'), headers: { 'Content-Encoding': 'gzip' } };
  await sandbox.fault('jobs', { status: 200, ...gzipped });
  const decoded = await client.listJobs();
  assert.deepEqual([await decoded.text(), decoded.headers.get('content-encoding')], [jobs, null]);
});

test('requests of your own, with all that fetch takes', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('jobs', { status: 201 });
  const { accessToken } = await client.getToken();
  const form = new FormData();
  form.set('a', 'é');
  /** @type {[import('../src/index.js').Body | null, RegExp, string | undefined][]} */
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
    const request = (await sandbox.requests('jobs')).at(-1);
    const headers = request?.headers ?? {};
    assert.match(request?.body ?? 'none', sent);
    assert.deepEqual([headers.authorization, headers['x-own']], [`Bearer ${accessToken}`, 'a']);
    if (body === form) assert.match(headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
    else assert.equal(headers['content-type'], type);
  }
  await assert.rejects(client.sendRequest({ path: '//host' }), { code: 'invalid_input', key: 'path' });
});

test('a body is sent again after a 401, unless it is a stream', bound, async (t) => {
  const { sandbox, client } = await start(t);
  const stream = () => new Blob(['stream']).stream();
  const post = async (/** @type {import('../src/index.js').Body} */ body) => {
    await client.getToken({ force: true });
    await sandbox.fault('jobs', { status: 401, requests: 1 });
    return client.sendRequest({ path: '/jobs', method: 'POST', body });
  };
  for (const body of ['text', stream]) await assert.rejects(post(body), { status: 405 }); // the answer to the repeat
  const bodies = (await sandbox.requests('jobs')).map(({ body }) => body);
  assert.deepEqual(bodies, ['text', 'text', 'stream', 'stream']);
  await assert.rejects(post(stream()), { code: 'service_unauthorized', status: 401, retryable: true });
  const requests = await sandbox.requests('jobs');
  assert.equal(requests.length, 5);
  assert.notEqual(requests[4]?.headers.authorization, `Bearer ${(await client.getToken()).accessToken}`);
  let attempts = 0;
  const once = () => (attempts++ ? Promise.reject(new Error('only once')) : 'text');
  await assert.rejects(post(once), { code: 'network_error', message: /only once/, cause: new Error('only once') });
  const own = () => Promise.reject(new Error('my own'));
  await assert.rejects(client.sendRequest({ path: '/', method: 'POST', body: own }), { message: 'my own' });
});

test('an error, printed and as JSON', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('jobs', { status: 503, body: 'busy', headers: { 'Retry-After': '7' } });
  const error = await failure(client.listJobs());
  assert.ok(error instanceof RosteringError && error instanceof Error);
  const known = { code: 'service_error', message: error.message, retryable: true, status: 503, retryAfter: 7 };
  assert.equal(String(error), `service_error: ${error.message}`);
  assert.deepEqual(JSON.parse(JSON.stringify(error)), { ...known, body: 'busy' });
  assert.match(inspect(error), /RosteringError: /);
  const wrong = await open(t, sandbox, {}, { clientSecret: 'not-the-secret' });
  const expected = { code: 'token_endpoint_rejected', oauthError: 'invalid_client', oauthErrorDescription: /is wrong/ };
  await assert.rejects(wrong.listJobs(), expected);
});

test('neither secret nor token shows', bound, async (t) => {
  const { sandbox, client } = await start(t);
  const secret = sandbox.env.ROSTERING_CLIENT_SECRET;
  const token = await client.getToken();
  await sandbox.fault('jobs', { status: 500, body: `${secret} ${token.accessToken}` });
  const answered = await failure(client.listJobs());
  assert.equal(answered.body, '[redacted] [redacted]');
  await sandbox.fault('jobs', { cut_off: true });
  await sandbox.fault('auth', { cut_off: true });
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
  const { sandbox, client } = await start(t, { timeoutMs: 1 });
  await sandbox.fault('jobs', { hold: true });
  const expected = { code: 'network_error', retryable: true, message: /timed out after/ };
  await assert.rejects(client.listJobs({ timeoutMs: 200 }), expected);
  await assert.rejects(client.listJobs(), expected);
  for (const timeoutMs of [0, Number.POSITIVE_INFINITY, 2 ** 40]) {
    await sandbox.fault('jobs', { hold: true });
    const { job_requests } = await sandbox.counts();
    const call = client.listJobs({ timeoutMs });
    await sandbox.wait({ job_requests: job_requests + 1 });
    await sandbox.clearFaults();
    assert.equal((await call).status, 200);
  }
});

test('a call that is aborted', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('jobs', { hold: true });
  const controller = new AbortController();
  const { signal } = controller;
  const aborted = client.listJobs({ signal });
  await sandbox.wait({ job_requests: 1 });
  controller.abort(new Error('enough'));
  await assert.rejects(aborted, { message: 'enough' });
  await assert.rejects(client.listJobs({ signal }), { message: 'enough' });
  await assert.rejects(client.getToken({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.equal((await sandbox.counts()).job_requests, 1);
});

test('an aborted call leaves its token request to waitUntil', bound, async (t) => {
  /** @type {Promise<unknown>[]} */
  const left = [];
  const { sandbox, client } = await start(t, { waitUntil: (section) => left.push(section) });
  await sandbox.fault('auth', { hold: true });
  const controller = new AbortController();
  const aborted = client.listJobs({ signal: controller.signal });
  await sandbox.wait({ token_requests: 1 });
  controller.abort(new Error('enough'));
  await assert.rejects(aborted, { message: 'enough' });
  await sandbox.clearFaults();
  await Promise.all(left);
  assert.equal(left.length, 1);
  assert.equal((await client.listJobs()).status, 200);
  assert.equal((await sandbox.counts()).token_requests, 1);
});

test('a time of your own', bound, async (t) => {
  const { client } = await start(t);
  const now = 2_000_000_000;
  const token = await client.getToken({ now });
  assert.equal(token.expiresAt.getTime(), (now + 3600) * 1000);
  await assert.rejects(client.setToken(token, { now: now + 3600 }), { code: 'token_mismatch' });
});

test('a token travels, and is forgotten', bound, async (t) => {
  const { sandbox, client } = await start(t);
  const other = await open(t, sandbox);
  const token = (await client.getToken()).toObject();
  await other.setToken(new Token(JSON.parse(JSON.stringify(token))));
  assert.deepEqual((await other.getToken()).toObject(), token);
  assert.equal((await sandbox.counts()).token_requests, 1);
  await other.clearToken();
  assert.notEqual((await other.getToken()).accessToken, token.access_token);
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
  const { sandbox, client } = await start(t, { logger, fetch: own, maxBody: jobs.length });
  await sandbox.fault('jobs', { status: 200, body: jobs });
  await client.listJobs();
  const { ROSTERING_AUTH_URL, ROSTERING_BASE_URL } = sandbox.env;
  assert.deepEqual(urls, [`${ROSTERING_AUTH_URL}/connect/token`, `${ROSTERING_BASE_URL}/jobs`]);
  assert.match(lines.join(), /^HTTP 200/);
  await sandbox.fault('jobs', { status: 200, body: `${jobs} ` });
  await assert.rejects(client.listJobs(), { code: 'network_error', message: /longer than 10 bytes/ });
});

test('a plugin of your own', bound, async (t) => {
  const bytes = await readFile(wasm);
  const path = wasm.pathname;
  /** @type {import('../src/index.js').Source[]} */
  const sources = [path, wasm, bytes, bytes.buffer, await WebAssembly.compile(bytes)];
  sources.push((options) => createPlugin(path, options));
  const sandbox = await Sandbox.start(t);
  for (const plugin of sources) assert.ok(await (await open(t, sandbox, { plugin })).getToken());
});

test('another plugin is refused when it is opened', bound, async () => {
  const config = { authUrl: '', clientId: '', clientSecret: '' };
  const refused = (/** @type {import('../src/index.js').Source} */ plugin, /** @type {string} */ message) =>
    assert.rejects(Client.open(config, { plugin }), { message });
  const advice = "this library needs contract 2: use the library from the plugin's release";
  const none = `the file is not the plugin, or has contract 1: it has no export "version"; ${advice}`;
  await refused(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), none);
  await refused(new Uint8Array(), 'the file is not the plugin: it is not WebAssembly');
  const other = fakePlugin({ version: () => ({ version: '9.0.0', contract: 3 }) });
  await refused(async () => other, `the plugin has contract 3, and ${advice}`);
  assert.equal(other.closed, 1);
  assert.deepEqual([version, contract], [(await readFile(new URL('VERSION', root), 'utf8')).trim(), 2]);
});

test('a config with which no call could succeed is refused when it is opened', bound, async (t) => {
  const sandbox = await Sandbox.start(t);
  let closed = 0;
  /** @type {import('../src/index.js').Source} */
  const plugin = async (options) => {
    const opened = await createPlugin(wasm.pathname, options);
    const close = () => opened.close().finally(() => closed++);
    return { call: (name, input) => opened.call(name, input), reset: () => opened.reset(), close };
  };
  const typo = open(t, sandbox, { plugin }, { environment: /** @type {any} */ ('test') });
  const error = await failure(typo);
  assert.ok(error instanceof RosteringError);
  assert.deepEqual([error.code, error.key, error.retryable, closed], ['config_invalid', 'environment', false, 1]);
  const missing = open(t, sandbox, { worker: true }, { clientSecret: '' });
  await assert.rejects(missing, { code: 'config_missing', key: 'client_secret' });
  assert.deepEqual(await sandbox.counts(), { token_requests: 0, job_requests: 0 });
});

test('in a worker', bound, async (t) => {
  const { sandbox, client } = await start(t, { worker: true });
  await Promise.all(Array.from({ length: 50 }, () => client.listJobs()));
  assert.deepEqual(await sandbox.counts(), { token_requests: 1, job_requests: 50 });
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

/**
 * What a call fails with.
 *
 * @param {Promise<unknown>} call
 * @returns {Promise<any>}
 */
function failure(call) {
  return call.then(
    () => 'it did not fail',
    (error) => error,
  );
}
