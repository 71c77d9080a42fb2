// How calls fail; on Node, Deno and Bun.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { retry, RosteringError } from '../src/index.js';
import { open, start } from './start.js';

const bound = { timeout: 30_000 };

test('error-text: the code, the message, the status, and the OAuth error', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('jobs', { status: 503 });
  const busy = await failure(client.listJobs());
  assert.match(String(busy), /^service_error: .* \(status 503\)$/);
  assert.match(inspect(busy), /RosteringError: .* \(status 503\)/);
  const wrong = await failure((await open(t, sandbox, {}, { clientSecret: 'not-the-secret' })).listJobs());
  assert.match(String(wrong), /^token_endpoint_rejected: .* \(status 401, invalid_client: .*is wrong.*\)$/);
  assert.deepEqual([wrong.oauthError, wrong.status], ['invalid_client', 401]);
});

test('error-json: has the names of the contract', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('jobs', { status: 503, body: 'busy', headers: { 'Retry-After': '7' } });
  const { message, ...rest } = JSON.parse(JSON.stringify(await failure(client.listJobs())));
  assert.deepEqual(rest, { code: 'service_error', retryable: true, status: 503, retry_after: 7, body: 'busy' });
  assert.ok(message);
  const wrong = await failure((await open(t, sandbox, {}, { clientSecret: 'not-the-secret' })).listJobs());
  const { oauth_error, oauth_error_description } = JSON.parse(JSON.stringify(wrong));
  assert.deepEqual([oauth_error, oauth_error_description], [wrong.oauthError, wrong.oauthErrorDescription]);
});

test('error-names: what the caller calls the field, and the key as in the contract', bound, async (t) => {
  const { sandbox, client } = await start(t);
  const missing = await failure(open(t, sandbox, {}, { clientSecret: '' }));
  assert.deepEqual([missing.code, missing.key], ['config_missing', 'client_secret']);
  const invalid = await failure(open(t, sandbox, {}, { authUrl: 'http://login.example.com' }));
  assert.deepEqual([invalid.code, invalid.key], ['config_invalid', 'auth_url']);
  const empty = await failure(client.listJobs({ customerId: '' }));
  assert.deepEqual([empty.code, empty.key], ['invalid_input', 'customer_id']);
  const path = await failure(client.sendRequest({ path: 'jobs' }));
  const scope = await failure(open(t, sandbox, {}, { scope: 'é' }));
  for (const [error, end] of [
    [missing, / \(clientSecret, ROSTERING_CLIENT_SECRET\)$/],
    [invalid, / \(authUrl, ROSTERING_AUTH_URL\)$/],
    [empty, / \(customerId\)$/],
    [path, /[^)]$/],
    [scope, /[^,] \(ROSTERING_SCOPE\)$/],
  ]) {
    for (const text of [error.message, JSON.parse(JSON.stringify(error)).message]) assert.match(text, end);
  }
});

test('error-cause: what fetch threw, and when to retry', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('auth', { cut_off: true });
  const lost = await failure(client.listJobs());
  assert.deepEqual([lost.code, lost.retryable, lost.retryAfter], ['network_error', true, 1]);
  assert.ok(lost.cause instanceof Error);
});

test('not-2xx: has the status, the headers and the body of the response', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await sandbox.fault('jobs', { status: 412, body: 'changed', headers: { ETag: '"2"', 'X-Secret': 'hidden' } });
  const error = await failure(client.listJobs());
  assert.deepEqual([error.code, error.status, error.body], ['service_error', 412, 'changed']);
  assert.equal(error.headers.get('ETag'), '"2"');
  assert.ok(!inspect(error, { showHidden: true, depth: null }).includes('hidden'));
});

test('not-modified: is a response', bound, async (t) => {
  const { sandbox, client } = await start(t);
  await client.getToken();
  await sandbox.fault('jobs', { status: 304, headers: { ETag: '"1"' } });
  const response = await client.sendRequest({ path: '/jobs', headers: { 'If-None-Match': '"1"' } });
  assert.deepEqual([response.status, response.headers.get('ETag'), await response.text()], [304, '"1"', '']);
});

test('timeout: of the client, or of a call', bound, async (t) => {
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

test('max-body: a larger response is not retryable', bound, async (t) => {
  const { sandbox, client } = await start(t, { maxBody: 10 });
  await sandbox.fault('jobs', { status: 200, body: '0123456789' });
  assert.equal(await (await client.listJobs()).text(), '0123456789');
  await sandbox.fault('jobs', { status: 200, body: '0123456789 ' });
  const expected = { code: 'network_error', retryable: false, message: /larger than maxBody \(10 bytes\)/ };
  await assert.rejects(client.listJobs(), expected);
});

test('retry: what is retryable, until the deadline', bound, async () => {
  const fails = (/** @type {number} */ times, retryable = true) => {
    const calls = { made: 0 };
    const call = async () => {
      if (++calls.made <= times) throw new RosteringError({ ...busy, retryable, retry_after: 0 });
      return calls.made;
    };
    return { calls, call };
  };
  const busy = /** @type {const} */ ({ code: 'service_error', message: 'busy' });
  assert.equal(await retry(fails(3).call), 4);
  const final = fails(3, false);
  await assert.rejects(retry(final.call), { message: 'busy' });
  assert.equal(final.calls.made, 1);
  const slow = async () => Promise.reject(new RosteringError({ ...busy, retryable: true }));
  await assert.rejects(retry(slow, { deadlineMs: 900 }), { message: 'busy' }); // the first wait is 1 s
  const own = new Error('mine');
  await assert.rejects(
    retry(() => Promise.reject(own)),
    own,
  );
  await assert.rejects(retry(slow, { signal: AbortSignal.abort(own) }), own);
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
