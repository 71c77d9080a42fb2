// What only Node has: telemetry of its fetch, and a process that ends on its own.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Registry } from 'prom-client';
import { Client } from '../src/index.js';
import { byService, config, start } from './fake.js';
import { listen } from './server.js';
import { watch } from './watch.js';

const bound = { timeout: 30_000 };

test('a span for each request, without secrets', bound, async (t) => {
  const token = { access_token: 'token-0001', token_type: 'Bearer', expires_in: 3600 };
  const url = await listen(t, (_, response) => void response.end(JSON.stringify(token)));
  const client = await Client.open({ ...config, authUrl: url, baseUrl: url });
  const exporter = new InMemorySpanExporter();
  const instrumentation = new UndiciInstrumentation();
  instrumentation.setTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  t.after(() => instrumentation.disable());
  await client.listJobs();
  const spans = exporter.getFinishedSpans();
  const seen = spans.map(({ kind, name, attributes: all }) => [
    kind,
    name,
    all['url.full'],
    all['http.response.status_code'],
  ]);
  assert.deepEqual(seen, [
    [SpanKind.CLIENT, 'POST', `${url}/connect/token`, 200],
    [SpanKind.CLIENT, 'GET', `${url}/jobs`, 200],
  ]);
  const text = JSON.stringify(
    spans.map(({ name, attributes, events, resource }) => [name, attributes, events, resource.attributes]),
  );
  assert.ok(!text.includes('token-0001') && !text.includes(config.clientSecret), text);
});

test('a connection that the server closes when it is used again', bound, async (t) => {
  const used = new WeakSet();
  const received = /** @type {(string | undefined)[]} */ ([]);
  let closes = false;
  const url = await listen(t, ({ method, socket }, response) => {
    received.push(method);
    if (closes && used.has(socket)) return ((closes = false), socket.destroy());
    used.add(socket);
    return response.end('{"access_token":"token-0001","token_type":"Bearer","expires_in":3600}');
  });
  const client = await Client.open({ ...config, authUrl: url, baseUrl: url });
  await client.listJobs();
  closes = true;
  assert.equal((await client.listJobs()).status, 200);
  closes = true;
  await assert.rejects(client.sendRequest({ path: '/jobs', method: 'POST', body: '' }), { reason: 'connection' });
  assert.deepEqual(received, ['POST', 'GET', 'GET', 'GET', 'POST']);
});

test('where tests replace the globals of Node, as jsdom does', bound, async (t) => {
  const { Blob } = globalThis;
  t.after(() => Object.assign(globalThis, { Blob }));
  globalThis.Blob = /** @type {any} */ (class {});
  const bodies = /** @type {string[]} */ ([]);
  const url = await listen(t, async (request, response) => {
    bodies.push(String(await buffer(request)));
    response.end('{"access_token":"token-0001","token_type":"Bearer","expires_in":3600}');
  });
  const client = await Client.open({ ...config, authUrl: url, baseUrl: url });
  for (const body of ['text', new TextEncoder().encode('bytes')])
    await client.sendRequest({ path: '/', method: 'PUT', body });
  assert.deepEqual(bodies.slice(1), ['text', 'bytes']);
});

test('TLS does not know the dot at the end of a name', bound, async (t) => {
  const { fetch } = globalThis;
  t.after(() => Object.assign(globalThis, { fetch }));
  const urls = /** @type {unknown[]} */ ([]);
  globalThis.fetch = async (url) => {
    urls.push(url);
    return Response.json({ access_token: 'token-0001', token_type: 'Bearer', expires_in: 3600 });
  };
  const urlsWithDot = { authUrl: 'https://login.invalid.', baseUrl: 'https://service.invalid.:8443/v1.' };
  await (await Client.open({ ...config, ...urlsWithDot })).listJobs();
  assert.deepEqual(urls, ['https://login.invalid/connect/token', 'https://service.invalid:8443/v1./jobs']);
});

const soon = { timeout: 15_000 }; // before a token request would time out

test('a token request does not keep the process, and is watched only while it runs', soon, async (t) => {
  const watched = () => channel('undici:client:sendHeaders').hasSubscribers;
  let arrive = () => {};
  const arrived = new Promise((/** @type {(_: void) => void} */ resolve) => (arrive = resolve));
  const url = await listen(t, () => arrive()); // holds the response
  const client = await Client.open({ ...config, authUrl: url, baseUrl: url });
  assert.equal(watched(), false);
  const call = assert.rejects(client.listJobs(), { name: 'AbortError' });
  await arrived;
  assert.equal(watched(), true);
  await client.close({ timeoutMs: 1 });
  await call;
  assert.equal(watched(), false);

  const program = `import { Client } from ${JSON.stringify(new URL('../src/index.js', import.meta.url))};
    const client = await Client.open(${JSON.stringify({ ...config, authUrl: url, baseUrl: url })});
    await client.listJobs({ timeoutMs: 300 }).catch((error) => console.log(error.code));`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  const output = /** @type {string[]} */ ([]);
  child.stdout.on('data', (data) => output.push(String(data)));
  assert.deepEqual([await once(child, 'close'), output.join('')], [[0, null], 'network_error\n']);
});

test('Prometheus shows one token request for a thousand calls', bound, async () => {
  let status = 200;
  const { client } = await start(byService(() => new Response(null, { status })));
  const registry = new Registry();
  watch(client, [registry]);
  for (let i = 0; i < 1000; i++) await client.listJobs();
  status = 503;
  await assert.rejects(client.forCustomer('another').listJobs(), { code: 'service_error' });
  const text = await registry.metrics();
  for (const line of [
    'rostering_calls_total 1001',
    'rostering_failed_calls_total{code="service_error"} 1',
    'rostering_token_requests_total 1',
    `rostering_token_expires_at_seconds ${Number(client.status().tokenExpiresAt) / 1000}`,
  ])
    assert.ok(text.split('\n').includes(line), `${line}\n${text}`);
  assert.equal(await registry.metrics(), text); // it adds nothing
});
