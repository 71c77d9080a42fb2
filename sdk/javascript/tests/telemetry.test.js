// OpenTelemetry records the client's requests, because they are sent with fetch.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpanKind } from '@opentelemetry/api';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { Client } from '../src/index.js';
import { config } from './fake.js';
import { listen } from './server.js';

test('a span for each request, without secrets', { timeout: 30_000 }, async (t) => {
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
