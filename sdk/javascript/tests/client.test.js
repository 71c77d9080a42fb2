// What only JavaScript can show, on Node, Deno and Bun. tests/runner shows what all libraries do.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import pino from 'pino';
import { Client, retry, RosteringError } from '../src/index.js';
import { byService, config, hold, start } from './fake.js';

/** @typedef {import('../src/index.js').Body} Body */

const bound = { timeout: 30_000 };
const wasm = new URL('../src/rostering-core.wasm', import.meta.url);
const enough = new Error('enough');

test('a logger that throws makes no call fail', bound, async () => {
  const fail = () => {
    throw new Error('the log is full');
  };
  const responses = [new Response('', { status: 401 }), Response.json([])];
  const { client } = await start(
    byService(() => /** @type {Response} */ (responses.shift())),
    { logger: { debug: fail, warn: fail } },
  );
  await client.setToken(await client.getToken()); // which is replaced immediately
  assert.equal((await client.listJobs()).status, 200);
});

test('a response is like that of fetch, with its body in every form', bound, async () => {
  const type = 'application/x-www-form-urlencoded';
  const headers = { 'Content-Encoding': 'gzip', 'Content-Length': '1', 'Content-Type': type, 'X-Own': 'a' };
  let body = '[1]';
  const { client } = await start(byService(() => new Response(body, { status: 203, headers })));
  const jobs = () => client.listJobs();
  assert.deepEqual(await (await jobs()).json(), [1]);
  body = 'a=1';
  assert.equal(await (await jobs()).text(), 'a=1');
  assert.equal(String.fromCharCode(...new Uint8Array(await (await jobs()).arrayBuffer())), 'a=1');
  assert.deepEqual([(await (await jobs()).blob()).size, (await (await jobs()).blob()).type], [3, type]);
  assert.deepEqual([...(await (await jobs()).formData())], [['a', '1']]);
  await assert.rejects(async () => (await jobs()).json(), { name: 'SyntaxError' });
  const response = await jobs();
  assert.ok(response instanceof Response);
  assert.deepEqual([response.status, response.ok, response.headers.get('x-own')], [203, true, 'a']);
  assert.equal(response.headers.get('content-encoding'), null); // or a Response that is forwarded would claim it
  const copy = response.clone();
  assert.deepEqual([copy.status, copy.headers.get('content-type'), await copy.text()], [203, type, 'a=1']);
  assert.equal(response.bodyUsed, false);
  assert.equal(await new Response(response.body, response).text(), 'a=1'); // as a server forwards it
});

test('a request takes every body that fetch takes', bound, async () => {
  const { client, ofService } = await start();
  const form = new FormData();
  form.set('a', 'é');
  /** @type {[Body | null, RegExp, RegExp?][]} */
  const bodies = [
    ['{"a":"é"}', /^{"a":"é"}$/],
    ['', /^$/],
    [null, /^$/],
    [new TextEncoder().encode('bytes'), /^bytes$/],
    [new Blob(['blob'], { type: 'text/csv' }), /^blob$/, /^text\/csv$/],
    [new URLSearchParams({ a: 'b c' }), /^a=b\+c$/, /^application\/x-www-form-urlencoded;charset=UTF-8$/],
    [new Blob(['stream']).stream(), /^stream$/],
    [() => new Blob(['new stream']).stream(), /^new stream$/],
    [/** @type {any} */ (Object('object')), /^object$/, /^(text\/plain|$)/],
    [runInNewContext('new Uint8Array([97]).buffer'), /^a$/],
    [async () => /** @type {any} */ (null), /^$/],
    [form, /name="a"\r\n\r\né/, /^multipart\/form-data; boundary=/],
  ];
  for (const [body, sent, type] of bodies) {
    await client.sendRequest({ path: '/', method: 'PUT', body, headers: new Headers({ 'X-Own': 'a' }) });
    const request = ofService().at(-1);
    assert.match(request?.body ?? 'none', sent);
    assert.equal(request?.headers.get('x-own'), 'a');
    assert.match(request?.headers.get('content-type') ?? '', type ?? /^$/);
  }
});

test('a function makes a new body for the retry after a 401', bound, async () => {
  const { client, ofService } = await start(byService(() => new Response(null, { status: 401 })));
  const post = async (/** @type {Body} */ body) => {
    await client.clearToken();
    await client.setToken(await client.getToken()); // which is replaced immediately
    return client.sendRequest({ path: '/', method: 'POST', body });
  };
  const stream = () => new Blob(['stream']).stream();
  await assert.rejects(post(stream), { code: 'service_unauthorized' });
  assert.deepEqual([ofService().at(-2)?.body, ofService().at(-1)?.body], ['stream', 'stream']);
  let attempts = 0;
  const once = () => (attempts++ ? Promise.reject(enough) : 'text');
  await assert.rejects(post(once), enough);
  const fails = () => Promise.reject(enough);
  await assert.rejects(post(fails), enough);
});

test('a stream that was never sent is canceled', bound, async () => {
  const { client } = await start(({ url }) => (url.includes('token') ? new Response('', { status: 400 }) : undefined));
  const canceled = /** @type {string[]} */ ([]);
  const put = (/** @type {string} */ name, /** @type {any} */ own = {}) => {
    const body = new ReadableStream({ cancel: () => void canceled.push(name) });
    return assert.rejects(client.sendRequest({ path: '/', method: 'PUT', body, ...own }));
  };
  await put('path', { path: 'a' });
  await put('signal', { signal: AbortSignal.abort() });
  await put('token');
  const file = Readable.from(['text']);
  await put('', { path: 'a', body: file });
  await client.close();
  await put('closed');
  assert.deepEqual([canceled, file.destroyed], [['path', 'signal', 'token', 'closed'], true]);
});

test('what a fetch that ignores the signal returns is not read after the call', bound, async () => {
  for (const isLate of [false, true]) {
    let release = () => {};
    const released = new Promise((/** @type {(_: void) => void} */ resolve) => (release = resolve));
    const controller = new AbortController();
    const canceled = new Promise((resolve) => {
      const pull = async (/** @type {ReadableStreamDefaultController} */ stream) => {
        await setImmediate();
        stream.enqueue(new Uint8Array(isLate ? 1 : 0));
        controller.abort(enough);
      };
      const respond = async (/** @type {{url: string}} */ { url }) => {
        if (url.includes('token')) return undefined;
        if (isLate) controller.abort(enough);
        if (isLate) await released;
        return new Response(new ReadableStream({ pull, cancel: resolve }));
      };
      void start(respond).then(async ({ client }) => {
        await assert.rejects(client.listJobs({ signal: controller.signal }), enough);
        release();
      });
    });
    await canceled;
  }
});

test('a client closes whatever the clock does', bound, async () => {
  let isBroken = false;
  const clock = () => (isBroken ? assert.fail('no clock') : Date.now());
  const { client, received } = await start((_, init) => hold(init, new Promise(() => {})), { clock });
  const call = assert.rejects(client.listJobs(), { name: 'AbortError' });
  while (received.length === 0) await setImmediate();
  isBroken = true;
  await client.close({ timeoutMs: 1 });
  await call;
});

test('a logger may forget the token', bound, async () => {
  let forget = async () => {};
  const { client, ofAuth } = await start(undefined, { logger: { debug: () => void forget(), warn() {} } });
  forget = () => client.clearToken();
  await client.getToken();
  forget = async () => {};
  await client.getToken();
  assert.equal(ofAuth().length, 2);
});

test('a call that is aborted ends with the reason', bound, async () => {
  const { client, received } = await start((_, init) => hold(init, new Promise(() => {})));
  const controller = new AbortController();
  const { signal } = controller;
  let added = 0;
  const add = signal.addEventListener.bind(signal);
  signal.addEventListener = (/** @type {any} */ ...args) => (added++, add(.../** @type {[any, any]} */ (args)));
  const calls = Array.from({ length: 20 }, () => client.listJobs({ signal }));
  while (received.length === 0) await setImmediate();
  assert.equal(added, 1); // Node warns of a leak at the eleventh
  controller.abort(enough);
  for (const call of calls) await assert.rejects(call, enough);
  await assert.rejects(client.getToken({ signal }), enough);
  assert.equal(received.length, 1);
  await client.close(); // ends the token request, too
});

test('waitUntil receives what continues after a call', bound, async () => {
  let now = Date.now();
  let released = Promise.resolve();
  let release = () => {};
  const respond = (/** @type {{url: string}} */ { url }, /** @type {RequestInit} */ init) =>
    url.includes('token') ? hold(init, released) : undefined;
  const { client, ofAuth } = await start(respond, { clock: () => now });
  /** @type {Promise<unknown>[]} */
  const left = [];
  const waitUntil = (/** @type {Promise<unknown>} */ section) => void left.push(section);
  const holds = () => (released = new Promise((resolve) => (release = resolve)));

  void holds(); // the token request of a call that is aborted
  const controller = new AbortController();
  const aborted = client.listJobs({ signal: controller.signal, waitUntil });
  while (ofAuth().length < 1) await setImmediate();
  controller.abort(enough);
  await assert.rejects(aborted, enough);
  release();
  await Promise.all(left);
  assert.equal((await client.getToken()).accessToken, 'token-0001');

  void holds(); // a renewal
  now += (3600 - 50) * 1000;
  assert.equal((await client.getToken({ waitUntil })).accessToken, 'token-0001');
  release();
  await Promise.all(left);
  assert.equal(left.length, 2);
  now += 5000; // before, the service might not know the new token
  assert.equal((await client.getToken()).accessToken, 'token-0002');
});

test('a timeout of 0, Infinity, or more than a timer supports is no timeout', bound, async () => {
  const { client } = await start(async () => void (await setImmediate()), { timeoutMs: 1e-9 });
  for (const timeoutMs of [0, Infinity, 2 ** 40]) assert.equal((await client.listJobs({ timeoutMs })).status, 200);
});

test('await using closes the client, but not with a view', bound, async () => {
  const { client } = await start();
  await client.forUser(null)[Symbol.asyncDispose]();
  await client.listJobs();
  await client[Symbol.asyncDispose]();
  await assert.rejects(client.listJobs(), { name: 'AbortError', message: 'the client is closed' });
});

test('tokens and the headers of a response are not shown', bound, async () => {
  const headers = { 'Set-Cookie': 'session=hidden' };
  const { client } = await start(byService(() => new Response('hidden', { status: 500, headers })));
  const error = await client.listJobs().catch((/** @type {RosteringError} */ error) => error);
  assert.ok(error instanceof RosteringError);
  assert.equal(error.headers?.get('set-cookie'), 'session=hidden');
  assert.equal(error.body, 'hidden');
  assert.deepEqual([error.full().body, error.full().headers?.['set-cookie']], ['hidden', 'session=hidden']);
  const own = { code: 'service_error', retryable: true, request: { method: 'GET', path: '/jobs' }, status: 500 };
  assert.deepEqual(error.toJSON(), { ...own, message: 'GET /jobs: the service is unavailable; retry later' });
  for (const value of [client, await client.getToken(), error]) {
    const shown = [String(value), JSON.stringify(value), inspect(value, { depth: Infinity, showHidden: true })];
    const copied = { ...value, ...Object.fromEntries(Object.entries(value)) }; // as winston does
    const serialized = pino.stdSerializers.err(/** @type {any} */ (value));
    assert.doesNotMatch([...shown, JSON.stringify([copied, serialized])].join(), /token-0001|pa55word|hidden/);
  }
});

test('the reason of a network error, by its type or code', bound, async () => {
  const byCode = (/** @type {string} */ code) =>
    new TypeError('failed', { cause: Object.assign(new Error('certificate'), { code }) });
  /** @type {[string, Error][]} */
  const cases = [
    ['timeout', new DOMException('late', 'TimeoutError')],
    ['timeout', byCode('UND_ERR_CONNECT_TIMEOUT')],
    ['canceled', new DOMException('enough', 'AbortError')],
    ['name_resolution', byCode('ENOTFOUND')],
    ['name_resolution', byCode('EAI_AGAIN')],
    ['proxy', byCode('ERR_PROXY_TUNNEL')],
    ['tls', byCode('ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN')],
    ['tls_certificate', byCode('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['tls_certificate', byCode('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['tls_certificate', byCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
    ['connection', byCode('ECONNREFUSED')],
    ['connection', byCode('UND_ERR_SOCKET')],
    ['protocol', byCode('HPE_INVALID_CONSTANT')],
    ['protocol', byCode('ZlibError')],
    ['other', new TypeError('certificate')],
  ];
  for (const [reason, thrown] of cases) {
    const { client } = await start(({ url }) => (url.startsWith(config.baseUrl) ? Promise.reject(thrown) : undefined));
    const error = await client.listJobs().catch((/** @type {RosteringError} */ caught) => caught);
    assert.ok(error instanceof RosteringError && error.reason === reason, `${reason}: ${inspect(error)}`);
    assert.equal(error.retryable, reason !== 'tls_certificate');
    assert.equal(/NODE_EXTRA_CA_CERTS/.test(error.message), reason === 'tls_certificate');
  }
});

test('another file of the plugin', bound, async () => {
  const bytes = await readFile(wasm);
  /** @type {import('../src/index.js').Source[]} */
  const sources = [bytes, new Uint8Array(bytes).buffer, await WebAssembly.compile(bytes)];
  for (const plugin of sources) assert.ok((await start(undefined, { plugin })).client);
});

test('a runtime that compiles nothing is named', bound, async () => {
  const { compile } = WebAssembly;
  WebAssembly.compile = async () => Promise.reject(new Error('no'));
  try {
    const { compiled } = await import(`../src/module.js?${'again'}`);
    await assert.rejects(compiled, {
      message: /does not compile WebAssembly: import .*rostering-core.wasm.* option plugin/,
    });
  } finally {
    WebAssembly.compile = compile;
  }
});

test('what throws something that the plugin does not take', bound, async () => {
  for (const thrown of [Object.create(null), new Error('half an emoji: \ud83d'), new Error('☃'.repeat(7_000_000))]) {
    const fail = () => Promise.reject(thrown);
    const logger = { debug() {}, warn() {} };
    const { client } = await start(undefined, { store: { get: fail, add: fail, set: fail }, logger });
    assert.equal((await client.listJobs()).status, 200);
    assert.equal(client.status().storeFailures, 1); // the flow continues without it
    const own = await start(({ url }) => (url.startsWith(config.baseUrl) ? fail() : undefined));
    await assert.rejects(own.client.listJobs(), { code: 'network_error', retryable: true });
  }
});

test('a process may have more clients than memories', { timeout: 120_000 }, async () => {
  const clients = await Promise.all(Array.from({ length: 13_000 }, () => Client.open(config)));
  assert.equal(clients.length, 13_000);
});

test('a fetch that returns no Response', bound, async () => {
  const { client } = await start(undefined, { fetch: async () => /** @type {any} */ (undefined) });
  await assert.rejects(client.listJobs(), {
    code: 'network_error',
    message: /options.fetch did not return a Response/,
  });
});

test(
  'the cause of an error has its type, code and reason, and quotes neither a request nor a server',
  bound,
  async () => {
    const parser = Object.assign(new Error('invalid header'), { name: 'HTTPParserError', data: 'pa55word' });
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', address: 'pa55word' });
    const cyclic = new Error('again');
    cyclic.cause = cyclic;
    /** @type {[(init: RequestInit) => unknown, RegExp][]} */
    const cases = [
      [
        () => new TypeError('fetch failed', { cause: parser }),
        /^HTTPParserError: .*TypeError: fetch failed: HTTPParserError: invalid header\)/,
      ],
      [() => new TypeError('fetch failed', { cause: refused }), /^Error: .*: connect ECONNREFUSED\)/],
      [
        (init) => new Error(`cannot send ${JSON.stringify(init.headers)} ${init.body}`),
        /^Error: .*\(cannot send {.*client_secret=\[redacted\].*check auth_url/,
      ],
      [(init) => new RangeError(`cannot send ${init.body}`), /^RangeError: .*secret=\[redacted\]/],
      [(init) => Object.assign(new Error(inspect(init, { maxArrayLength: 9999 })), { init }), /^Error: .*method/s],
      [(init) => ({ toString: () => `${init.body}` }), /^Error: /],
      [() => cyclic, /^Error: .*\(again: again/],
      [() => Object.create(null), /^Error: .*cannot be printed/],
      [
        () => Object.assign(new Error('no tunnel: 407 pa55word'), { code: 'ERR_PROXY_TUNNEL' }),
        /^Error: .*\(Error: ERR_PROXY_TUNNEL\)/,
      ],
    ];
    for (const [thrown, shown] of cases) {
      const { client } = await start((_, init) => Promise.reject(thrown(init)));
      const error = await client.listJobs().catch((/** @type {unknown} */ caught) => caught);
      assert.ok(error instanceof RosteringError && error.cause instanceof Error, inspect(error));
      assert.match(String(error.cause), shown);
      const { cause } = /** @type {{cause: {code?: string}}} */ (error);
      assert.equal(cause.code, /ECONNREFUSED|ERR_PROXY_TUNNEL/.exec(`${shown}`)?.[0]);
      const all = inspect(error, { depth: 9, showHidden: true, maxStringLength: Infinity });
      assert.doesNotMatch(all, /pa55|112,\s*97,\s*53,\s*53/);
    }
  },
);

test('retry throws any other error, and the reason of its signal', bound, async () => {
  const busy = new RosteringError({ code: 'service_error', message: 'busy', retryable: true });
  const retried = (/** @type {Error} */ error, signal = AbortSignal.abort(enough)) =>
    retry(() => Promise.reject(error), { signal });
  await assert.rejects(retried(new Error('own')), { message: 'own' });
  await assert.rejects(retried(busy), enough);
});
