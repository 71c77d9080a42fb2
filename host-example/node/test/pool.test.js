// What a pool does beside what every form does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, decode, gathers, jobs, start } from './service.js';

const bound = { timeout: 60_000 };
const form = 'openPool';

test('300 calls at once over 4 instances make one token request', bound, async (t) => {
  const { service, client } = await start(t, {}, { form, size: 4 });
  service.jobs = gathers(300, answer(200, jobs)); // none is answered before all are there
  const bodies = await Promise.all(Array.from({ length: 300 }, () => client.listJobs()));
  assert.deepEqual(bodies.map(decode), Array(300).fill(jobs));
  assert.deepEqual([service.tokenRequests.length, service.jobRequests.length], [1, 300]);
  assert.ok(service.jobRequests.every(({ authorization }) => authorization === 'Bearer token-1'));
});

test('a token that was revoked is replaced once in each instance at most', bound, async (t) => {
  const { service, client } = await start(t, {}, { form, size: 4 });
  const callAll = () => Promise.all(Array.from({ length: 40 }, () => client.listJobs()));
  await callAll();
  const refused = gathers(40, answer(401, ''));
  service.jobs = (response) => {
    if (response.req.headers.authorization === 'Bearer token-1') refused(response);
    else answer(200, jobs)(response);
  };
  await callAll();
  assert.equal(service.tokenRequests.length, 5);
  await callAll();
  assert.equal(service.tokenRequests.length, 5);
});

test('a token that was revoked is replaced for all', bound, async (t) => {
  const { service, client } = await start(t, {}, { form, size: 2 });
  service.jobs = gathers(2, answer(200, jobs));
  await Promise.all([client.listJobs(), client.listJobs()]);
  service.jobs = (response) => {
    const revoked = response.req.headers.authorization === 'Bearer token-1';
    answer(revoked ? 401 : 500, '')(response); // the new token is good, even if the service then fails
  };
  await assert.rejects(client.listJobs(), { code: 'service_error', status: 500 });
  await assert.rejects(client.listJobs(), { code: 'service_error', status: 500 }); // by the other instance
  assert.equal((await client.getToken()).accessToken, 'token-2');
  assert.deepEqual(
    service.jobRequests.map(({ authorization }) => authorization?.at(-1)),
    ['1', '1', '1', '2', '2'],
  );
});

test('a call that comes while a revoked token is replaced uses the new one', bound, async (t) => {
  const { service, client } = await start(t, {}, { form, size: 1 });
  await client.listJobs();
  /** @type {Promise<unknown> | undefined} */
  let second;
  service.jobs = (response) => {
    const revoked = response.req.headers.authorization === 'Bearer token-1';
    if (revoked) return answer(401, '')(response);
    second ??= client.listJobs().finally(() => answer(200, jobs)(response)); // then the first has its answer
    if (service.jobRequests.length > 3) answer(200, jobs)(response);
  };
  assert.equal(decode(await client.listJobs()), jobs);
  await second;
  assert.equal(service.tokenRequests.length, 2);
});

test('all forget a token that is to be forgotten, and its back-off', bound, async (t) => {
  t.mock.method(Date, 'now', () => 1_800_000_000_000); // or the wait could be over
  const { service, client } = await start(t, {}, { form, size: 1 });
  service.jobs = (response) => {
    const accepted = response.req.headers.authorization === 'Bearer token-4';
    answer(accepted ? 200 : 401, jobs)(response);
  };
  await assert.rejects(client.listJobs(), { code: 'service_unauthorized' }); // 1 and 2
  await client.clearToken();
  assert.equal(decode(await client.listJobs()), jobs);
});

test('a new token goes to all', bound, async (t) => {
  const { service, client } = await start(t, {}, { form, size: 2 });
  service.jobs = gathers(2, answer(200, jobs));
  await Promise.all([client.listJobs(), client.listJobs()]);
  await client.getToken({ force: true });
  await Promise.all([client.listJobs(), client.listJobs()]);
  assert.deepEqual(
    service.jobRequests.map(({ authorization }) => authorization?.at(-1)),
    ['1', '1', '2', '2'],
  );
});

test('calls that get no token send one token request', bound, async (t) => {
  t.mock.method(Date, 'now', () => 1_800_000_000_000); // or the wait could be over
  const { service, client } = await start(t, {}, { form });
  service.token = answer(503, '');
  const calls = Array.from({ length: 20 }, () => client.listJobs());
  for (const call of calls) await assert.rejects(call, { code: 'token_endpoint_unavailable', retryAfter: 1 });
  assert.equal(service.tokenRequests.length, 1);
});

test('a call under way does not wait for a new token', bound, async (t) => {
  const { service, client } = await start(t, {}, { form, size: 1 });
  const goodToken = service.token;
  service.jobs = (response) => {
    // The answer comes while another call waits for the new token.
    service.token = (tokenResponse) => {
      answer(200, jobs)(response);
      listed.then(() => goodToken(tokenResponse));
    };
    renewed = client.getToken({ force: true });
  };
  /** @type {Promise<import('../rostering/index.js').Token> | undefined} */
  let renewed;
  const listed = client.listJobs();
  assert.equal(decode(await listed), jobs);
  assert.equal((await renewed)?.accessToken, 'token-2');
});

test('a pool of nothing', bound, async (t) => {
  const { client } = await start(t, {}, { form, size: 0 });
  await assert.rejects(client.listJobs(), RangeError);
});
