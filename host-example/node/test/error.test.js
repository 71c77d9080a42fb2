import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../rostering/error.js';
import { RosteringError } from '../rostering/index.js';
import { answer, start } from './service.js';

const bound = { timeout: 30_000 };

test('every field', () => {
  const fields = {
    code: 'service_error',
    message: 'm',
    retryable: true,
    key: 'k',
    status: 503,
    oauth_error: 'o',
    oauth_error_description: 'd',
    retry_after: 7,
    body: 'b',
    body_truncated: true,
  };
  const error = explain(new Error(`Plugin-originated error: ${JSON.stringify(fields)}`));
  assert.ok(error instanceof RosteringError);
  assert.equal(String(error), 'RosteringError: m');
  assert.deepEqual(
    { ...error, message: error.message },
    {
      name: 'RosteringError',
      code: 'service_error',
      message: 'm',
      retryable: true,
      key: 'k',
      status: 503,
      oauthError: 'o',
      oauthErrorDescription: 'd',
      retryAfter: 7,
      body: 'b',
      bodyTruncated: true,
    },
  );
});

test('a host that is not allowed', () => {
  const thrown = new Error('Call error: HTTP request to "…" is not allowed');
  const error = explain(thrown);
  assert.ok(error instanceof RosteringError);
  assert.deepEqual([error.code, error.retryable, error.cause], ['network_error', true, thrown]);
});

test('the config', bound, async (t) => {
  const { service, client } = await start(t, { environment: 'test' });
  await assert.rejects(client.listJobs(), { code: 'config_invalid', key: 'environment', retryable: false });
  assert.equal(service.tokenRequests.length, 0);
});

test('the config of a URL that does not parse', bound, async (t) => {
  const { client } = await start(t, { authUrl: 'nowhere' });
  await assert.rejects(client.listJobs(), { code: 'config_invalid', key: 'auth_url' });
});

test('the input', bound, async (t) => {
  const { client } = await start(t);
  await assert.rejects(client.listJobs({ customerId: 'line\nbreak' }), { code: 'invalid_input', key: 'customer_id' });
});

test('the token endpoint', bound, async (t) => {
  const { client } = await start(t, { clientSecret: 'wrong' });
  await assert.rejects(client.listJobs(), {
    code: 'token_endpoint_rejected',
    retryable: false,
    status: 401,
    oauthError: 'invalid_client',
    oauthErrorDescription: 'unknown',
    retryAfter: 1,
  });
});

test('the service', bound, async (t) => {
  const { service, client } = await start(t);
  service.jobs = answer(503, 'busy');
  await assert.rejects(client.listJobs(), { code: 'service_error', retryable: true, status: 503, body: 'busy' });
  service.jobs = answer(403, 'x'.repeat(70 << 10));
  await assert.rejects(client.listJobs(), {
    code: 'service_error',
    retryable: false,
    status: 403,
    body: 'x'.repeat(64 << 10),
    bodyTruncated: true,
  });
});
