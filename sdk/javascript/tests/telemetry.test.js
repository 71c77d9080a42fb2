// OpenTelemetry records the client's requests, because they are sent with fetch.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Client, configFromEnv } from '../src/index.js';
import { Sandbox } from './sandbox.js';

test('a span for each request, without secrets', { timeout: 30_000 }, async (t) => {
  const sandbox = await Sandbox.start(t);
  const client = await Client.open(configFromEnv(sandbox.env));
  const exporter = new InMemorySpanExporter();
  const instrumentation = new UndiciInstrumentation();
  instrumentation.setTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  t.after(() => instrumentation.disable());
  await client.listJobs();

  const { ROSTERING_AUTH_URL, ROSTERING_BASE_URL, ROSTERING_CLIENT_SECRET } = sandbox.env;
  const hosts = [`${ROSTERING_AUTH_URL}/`, `${ROSTERING_BASE_URL}/`];
  const spans = exporter.getFinishedSpans().filter(({ attributes }) => {
    return hosts.some((host) => String(attributes['url.full']).startsWith(host));
  });
  assert.deepEqual(
    spans.map(({ kind, name, attributes }) => [
      kind,
      name,
      attributes['url.full'],
      attributes['http.response.status_code'],
    ]),
    [
      [SpanKind.CLIENT, 'POST', `${ROSTERING_AUTH_URL}/connect/token`, 200],
      [SpanKind.CLIENT, 'GET', `${ROSTERING_BASE_URL}/jobs`, 200],
    ],
  );
  const { accessToken } = await client.getToken();
  for (const { name, attributes, events, resource } of exporter.getFinishedSpans()) {
    const text = JSON.stringify([name, attributes, events, resource.attributes]);
    assert.ok(!text.includes(accessToken) && !text.includes(ROSTERING_CLIENT_SECRET ?? ''), text);
  }
});
