// What the driver does beside what every form does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Turns } from '../rostering/turns.js';
import { answer, decode, gathers, jobs, Service, start } from './service.js';

const bound = { timeout: 30_000 };
const form = 'openDriver';
const many = 20;

/** @param {import('../rostering/index.js').Rostering} client */
const callAll = (client) => Promise.all(Array.from({ length: many }, () => client.listJobs()));

test('many calls at once make one token request', bound, async (t) => {
  const { service, client } = await start(t, {}, { form });
  service.jobs = gathers(many, answer(200, jobs)); // none is answered before all are there
  assert.deepEqual((await callAll(client)).map(decode), Array(many).fill(jobs));
  assert.equal(service.tokenRequests.length, 1);
});

test('many calls with a token that was revoked make one token request', bound, async (t) => {
  const { service, client } = await start(t, {}, { form });
  await client.getToken();
  const refused = gathers(many, answer(401, ''));
  service.jobs = (response) => {
    if (response.req.headers.authorization === 'Bearer token-1') refused(response);
    else answer(200, jobs)(response);
  };
  assert.deepEqual((await callAll(client)).map(decode), Array(many).fill(jobs));
  assert.equal(service.tokenRequests.length, 2);
});

test('many calls that get no token send one token request', bound, async (t) => {
  t.mock.method(Date, 'now', () => 1_800_000_000_000); // or the wait could be over
  const { service, client } = await start(t, {}, { form });
  service.token = answer(503, '', { 'Retry-After': '7' });
  const calls = Array.from({ length: many }, () => client.listJobs());
  for (const call of calls) await assert.rejects(call, { code: 'token_endpoint_unavailable', retryAfter: 7 });
  assert.equal(service.tokenRequests.length, 1);
});

test('a call that is aborted leaves its token request to the others', bound, async (t) => {
  const { service, client } = await start(t, {}, { form });
  const controller = new AbortController();
  const good = service.token;
  service.token = (response) => {
    controller.abort(new Error('enough'));
    aborted.catch(() => good(response));
  };
  const aborted = client.listJobs({ signal: controller.signal });
  const other = client.listJobs();
  await assert.rejects(aborted, { message: 'enough' });
  assert.equal(decode(await other), jobs);
  assert.equal(service.tokenRequests.length, 1);
});

test('a token request without an answer ends those who wait for it', bound, async (t) => {
  const { service, client } = await start(t, {}, { form, timeoutMs: 500 });
  service.token = () => {};
  const calls = [client.listJobs(), client.getToken(), client.listJobs({ signal: new AbortController().signal })];
  for (const call of calls) {
    await assert.rejects(call, (/** @type {any} */ error) => {
      assert.deepEqual([error.code, error.retryable, error.cause.name], ['network_error', true, 'TimeoutError']);
      return true;
    });
  }
});

test('the reason of a failure', bound, async (t) => {
  const gone = new Service();
  await gone.listen();
  await gone.close();
  const { client } = await start(t, { baseUrl: gone.config.baseUrl }, { form });
  await assert.rejects(client.listJobs(), (/** @type {any} */ error) => {
    assert.match(error.message, /TypeError: fetch failed: Error: connect ECONNREFUSED/);
    assert.equal(error.cause.cause.code, 'ECONNREFUSED');
    return true;
  });
});

test('a reason that is thrown as it likes', bound, async (t) => {
  const several = Object.assign(new AggregateError([new Error('a')]), { code: 'ECONNREFUSED' });
  for (const [thrown, reason] of /** @type {[unknown, RegExp][]} */ ([
    [several, /AggregateError: ECONNREFUSED/],
    ['out of order', /out of order/],
    [undefined, /undefined/],
  ])) {
    const { client } = await start(t, {}, { form, fetch: () => Promise.reject(thrown) });
    await assert.rejects(client.listJobs(), { code: 'network_error', message: reason });
  }
});

test('a token answer beyond all bounds', bound, async (t) => {
  const { service, client } = await start(t, {}, { form });
  service.token = answer(200, `{"access_token":"t","x":"${'é'.repeat(1 << 20)}"}`);
  await assert.rejects(client.getToken(), { code: 'token_response_invalid', message: /longer than 256 KiB/ });
});

test('an error of the service has no body', bound, async (t) => {
  const { service, client } = await start(t, {}, { form });
  service.jobs = answer(429, 'slow down', { 'Retry-After': '12' });
  const error = await client.listJobs().catch((error) => error);
  const { code, status, retryable, retryAfter, body } = error;
  assert.deepEqual([code, status, retryable, retryAfter, body], ['service_error', 429, true, 12, undefined]);
});

test('turns of your own', bound, async (t) => {
  const turns = new Turns();
  let taken = 0;
  /** @type {import('../rostering/index.js').TurnTaking} */
  const counted = {
    take(work, signal) {
      taken++;
      return turns.take(work, signal);
    },
  };
  const { client } = await start(t, {}, { form, turns: counted });
  await client.listJobs();
  assert.equal(taken, 2); // up to the request to the service, and after it
});
