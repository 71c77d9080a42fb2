// What the client does the JavaScript way; on Node, Deno and Bun. tests/conformance shows that it does what every library
// does.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { checkContract } from '../src/plugin.js';
import { contract, Client, MemoryStore, RosteringError, Token, version } from '../src/index.js';
import { fakePlugin } from './fake-plugin.js';
import { Sandbox } from './sandbox.js';
import { open, setAhead, start } from './start.js';

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

test('a response is like that of fetch', bound, async (t) => {
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

test('a request takes every body that fetch takes', bound, async (t) => {
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
  for (const body of ['text', stream]) await assert.rejects(post(body), { status: 405 }); // the response to the retry
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

test('neither secret nor token shows', bound, async (t) => {
  const { sandbox, client } = await start(t);
  const secret = sandbox.env.ROSTERING_CLIENT_SECRET;
  const token = await client.getToken();
  await sandbox.fault('jobs', { status: 500, body: `${secret} ${token.accessToken}` });
  const failed = await failure(client.listJobs());
  assert.equal(failed.body, '[redacted] [redacted]');
  await sandbox.fault('jobs', { cut_off: true });
  await sandbox.fault('auth', { cut_off: true });
  const lost = await failure(client.listJobs());
  const refused = await failure(client.getToken({ force: true }));
  assert.deepEqual([failed.code, lost.code, refused.code], ['service_error', 'network_error', 'network_error']);
  assert.ok(lost.cause instanceof Error);
  const all = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: false };
  for (const value of [client, token, failed, lost, refused]) {
    for (const shown of [String(value), JSON.stringify(value), inspect(value), inspect(value, all)]) {
      assert.ok(!shown.includes(secret) && !shown.includes(token.accessToken), shown);
    }
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

test('waitUntil receives the token request of an aborted call', bound, async (t) => {
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

test('waitUntil receives a renewal', bound, async (t) => {
  let ahead = 0; // seconds
  const { sandbox, client } = await start(t, { clock: () => Date.now() + ahead * 1000 });
  const { accessToken } = await client.getToken();
  ahead = 3600 - 50;
  await sandbox.fault('auth', { hold: true });
  /** @type {Promise<unknown>[]} */
  const left = [];
  const token = await client.getToken({ waitUntil: (renewal) => left.push(renewal) });
  assert.equal(token.accessToken, accessToken);
  await sandbox.wait({ token_requests: 2 });
  await sandbox.clearFaults();
  await Promise.all(left);
  assert.equal(left.length, 1);
  assert.notEqual((await client.getToken()).accessToken, accessToken);
  assert.equal((await sandbox.counts()).token_requests, 2);
});

test('a token is set on another client, and cleared', bound, async (t) => {
  const { sandbox, client } = await start(t);
  const other = await open(t, sandbox);
  const token = (await client.getToken()).toObject();
  await other.setToken(new Token(JSON.parse(JSON.stringify(token))));
  assert.deepEqual((await other.getToken()).toObject(), token);
  assert.equal((await sandbox.counts()).token_requests, 1);
  await other.clearToken();
  assert.notEqual((await other.getToken()).accessToken, token.access_token);
  setAhead(t, 3600);
  await assert.rejects(other.setToken(new Token(token)), { code: 'token_mismatch' });
});

test('another file of the plugin', bound, async (t) => {
  const bytes = await readFile(wasm);
  /** @type {import('../src/index.js').Source[]} */
  const sources = [wasm.pathname, wasm, bytes, bytes.buffer, await WebAssembly.compile(bytes)];
  const sandbox = await Sandbox.start(t);
  for (const plugin of sources) assert.ok(await (await open(t, sandbox, { plugin })).getToken());
});

test('a file that is not this plugin is refused at opening', bound, async () => {
  const config = { authUrl: '', clientId: '', clientSecret: '' };
  const refused = (/** @type {import('../src/index.js').Source} */ plugin, /** @type {string} */ message) =>
    assert.rejects(Client.open(config, { plugin }), { message });
  const advice = "this library needs contract 2: use the library from the plugin's release";
  const none = `the file is not the plugin, or has contract 1: it has no export "version"; ${advice}`;
  await refused(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]), none);
  await refused(new Uint8Array(), 'the file is not the plugin: it is not WebAssembly');
  await refused(
    new URL('dist/rostering.wasm', root),
    'the file is not the plugin without WASI, or is a newer one: it imports clock_time_get from wasi_snapshot_preview1',
  );
  const other = fakePlugin({ version: () => ({ version: '9.0.0', contract: 3 }) });
  assert.throws(() => checkContract(other), { message: `the plugin has contract 3, and ${advice}` });
  assert.deepEqual([version, contract], [(await readFile(new URL('VERSION', root), 'utf8')).trim(), 2]);
});

test('customer-view: shares the token and sends its id in all calls', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('jobs', { status: 200 });
  const view = client.forCustomer('acme');
  await Promise.all([client.listJobs(), view.listJobs(), view.sendRequest({ path: '/jobs' })]);
  await view.forUser(null).forCustomer('other').listJobs();
  await client.forCustomer(null).forUser('me').listJobs();
  await view.listJobs({ customerId: 'one' });
  const sent = (await sandbox.requests('jobs')).map(({ headers }) => `${headers.customer_id} ${headers.user_id}`);
  const { ROSTERING_CUSTOMER_ID: customer, ROSTERING_USER_ID: user } = sandbox.env;
  const first = [`${customer} ${user}`, `acme ${user}`, `acme ${user}`];
  assert.deepEqual(sent.slice(0, 3).sort(), first.sort());
  assert.deepEqual(sent.slice(3), ['other undefined', 'undefined me', `one ${user}`]);
  assert.equal((await sandbox.counts()).token_requests, 1);
  await assert.rejects(client.forCustomer('').listJobs(), { code: 'invalid_input', key: 'customer_id' });
  for (const id of [undefined, 7]) assert.throws(() => client.forUser(/** @type {any} */ (id)), TypeError);
  await view.close();
  await assert.rejects(client.listJobs(), { message: 'the client is closed' });
});

test('json-body: JSON, with its type', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('jobs', { status: 200 });
  const send = (/** @type {object} */ rest) => client.sendRequest({ path: '/jobs', method: 'POST', ...rest });
  await send({ json: { a: 'é', b: null } });
  await send({ json: [], headers: { 'content-type': 'application/x-own+json' } });
  const sent = (await sandbox.requests('jobs')).map(({ headers, body }) => [headers['content-type'], body]);
  assert.deepEqual(sent, [
    ['application/json', '{"a":"é","b":null}'],
    ['application/x-own+json', '[]'],
  ]);
  await assert.rejects(send({ json: {}, body: 'text' }), { name: 'TypeError', message: /json or body, not both/ });
  await assert.rejects(send({ json: () => {} }), TypeError);
});

test('query-parameters: appended to the path', bound, async (t) => {
  const { sandbox, client } = await start(t);
  /** @type {string[]} */
  const urls = [];
  const own = await open(t, sandbox, { fetch: (url, init) => (urls.push(url), fetch(url, init)) });
  await own.setToken(await client.getToken());
  await own.sendRequest({ path: '/jobs', searchParams: { a: 'é b', c: '&' } });
  await own.sendRequest({ path: '/jobs?a=b', searchParams: new URLSearchParams('c=d&c=e') });
  await own.sendRequest({ path: '/jobs', searchParams: {} });
  const jobs = `${client.baseUrl}/jobs`;
  assert.deepEqual(urls, [`${jobs}?a=%C3%A9+b&c=%26`, `${jobs}?a=b&c=d&c=e`, jobs]);
});

test('user-agent: of the package, unless the request sets one', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await client.listJobs();
  await client.sendRequest({ path: '/jobs', headers: { 'user-agent': 'mine' } });
  const own = `automatic-rostering/${version} (javascript)`;
  const agents = async (/** @type {'auth' | 'jobs'} */ server) =>
    (await sandbox.requests(server)).map(({ headers }) => headers['user-agent']);
  assert.deepEqual([await agents('auth'), await agents('jobs')], [[own], [own, 'mine']]);
});

test('a custom fetch sends all requests', bound, async (t) => {
  /** @type {string[]} */
  const urls = [];
  const { sandbox, client } = await start(t, { fetch: (url, init) => (urls.push(url), fetch(url, init)) });
  await client.listJobs();
  const { ROSTERING_AUTH_URL, ROSTERING_BASE_URL } = sandbox.env;
  assert.deepEqual(urls, [`${ROSTERING_AUTH_URL}/connect/token`, `${ROSTERING_BASE_URL}/jobs`]);
});

test('close: waits for calls, then refuses them', bound, async (t) => {
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

test('close: cancels the calls after its timeout', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('jobs', { hold: true });
  const call = assert.rejects(client.listJobs(), { name: 'AbortError', message: 'the client is closed' });
  await sandbox.wait({ job_requests: 1 });
  const patient = client.close();
  await client.close({ timeoutMs: 1 });
  await Promise.all([patient, call]);
});

test('close: returns at once without calls, even while a token request hangs', { timeout: 10_000 }, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('auth', { hold: true });
  const controller = new AbortController();
  const left = assert.rejects(client.listJobs({ signal: controller.signal }), { name: 'AbortError' });
  await sandbox.wait({ token_requests: 1 });
  controller.abort();
  await left;
  await client.close(); // the token request would last 20 s
});

test('close: an abandoned token request is not a failure for other clients', bound, async (t) => {
  const store = new MemoryStore();
  /** @type {unknown[]} */
  const set = [];
  const watched = {
    get: store.get.bind(store),
    add: store.add.bind(store),
    set: async (/** @type {string} */ key) => void set.push(key),
  };
  const { sandbox, client } = await start(t, { store: watched });
  await sandbox.fault('auth', { hold: true });
  const left = assert.rejects(client.listJobs({ timeoutMs: 500 }), { code: 'network_error' });
  await sandbox.wait({ token_requests: 1 });
  await left;
  await client.close();
  assert.deepEqual(set, []);
});

test('many concurrent calls may share a signal', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('jobs', { hold: true });
  const controller = new AbortController();
  let added = 0;
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (/** @type {any} */ ...args) => (added++, add(.../** @type {[any, any]} */ (args)));
  const calls = Array.from({ length: 20 }, () => client.listJobs({ signal }));
  await sandbox.wait({ job_requests: 20 });
  assert.equal(added, 1); // Node warns of a leak at the eleventh
  controller.abort(new Error('enough'));
  for (const call of calls) await assert.rejects(call, { message: 'enough' });
});

test('fake: for tests without the service', bound, async () => {
  /** @type {Pick<Client, 'listJobs'>} */
  const fake = {
    listJobs: async () => {
      throw new RosteringError({ code: 'service_error', message: 'busy', retryable: true, status: 503 });
    },
  };
  await assert.rejects(fake.listJobs(), { code: 'service_error', message: 'busy (status 503)' });
});

/**
 * Returns what a call fails with.
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
