import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rostering } from '../rostering/index.js';
import { answer, breakOff, builds, decode, jobs, Service, start, wasm } from './service.js';

// (module (func (export "list_jobs") (result i32) unreachable))
const trap = Buffer.from('0061736d010000000105016000017f03020100070d01096c6973745f6a6f627300000a05010300000b', 'hex');

const bound = { timeout: 30_000 };

for (const build of builds) {
  test(`${build}: the second call uses the token of the first`, bound, async (t) => {
    const { service, client } = await start(t, {}, { build });
    assert.equal(decode(await client.listJobs()), jobs);
    assert.equal(decode(await client.listJobs()), jobs);
    assert.equal(service.tokenRequests.length, 1);
    assert.equal(service.tokenRequests[0]?.get('scope'), 'automatic-rostering-stage');
    const { authorization, customer_id, user_id } = service.jobRequests[1] ?? {};
    assert.deepEqual(
      { authorization, customer_id, user_id },
      { authorization: 'Bearer token-1', customer_id: 'customer', user_id: 'user' },
    );
  });

  test(`${build}: a token`, bound, async (t) => {
    const { client } = await start(t, { baseUrl: undefined, customerId: undefined, userId: undefined }, { build });
    const token = await client.getToken();
    assert.equal(token.accessToken, 'token-1');
    assert.equal(token.tokenType, 'Bearer');
    assert.ok(token.expiresAt > new Date());
    assert.ok(token.cacheKey);
    assert.equal((await client.getToken()).accessToken, 'token-1');
    assert.equal((await client.getToken({ force: true })).accessToken, 'token-2');
  });
}

test('ids of one call', bound, async (t) => {
  const { service, client } = await start(t);
  await client.listJobs({ customerId: 'other', userId: null });
  assert.equal(service.jobRequests[0]?.customer_id, 'other');
  assert.equal(service.jobRequests[0]?.user_id, undefined);
});

test('an empty answer', bound, async (t) => {
  const { service, client } = await start(t);
  service.jobs = answer(204, '');
  assert.equal((await client.listJobs()).length, 0);
});

test('calls at once take turns', bound, async (t) => {
  const { service, client } = await start(t);
  const bodies = await Promise.all([1, 2, 3, 4, 5].map(() => client.listJobs()));
  assert.deepEqual(bodies.map(decode), Array(5).fill(jobs));
  assert.equal(service.tokenRequests.length, 1);
});

test('log lines', bound, async (t) => {
  /** @type {string[]} */
  const lines = [];
  const { client } = await start(t, {}, { log: (level, line) => lines.push(`${level} ${line}`) });
  await client.listJobs();
  assert.equal(lines.filter((line) => line.startsWith('debug HTTP 200')).length, 2);
});

test('no answer in time', bound, async (t) => {
  const { service, client } = await start(t, {}, { timeoutMs: 500 });
  service.jobs = () => {};
  await assert.rejects(client.listJobs(), (/** @type {any} */ error) => {
    assert.equal(error.code, 'network_error');
    assert.equal(error.cause.name, 'TimeoutError');
    return true;
  });
  service.jobs = answer(200, jobs);
  assert.equal(decode(await client.listJobs()), jobs);
  assert.equal(service.tokenRequests.length, 1);
});

test('a call that is aborted, and one that waits for it', bound, async (t) => {
  const { service, client } = await start(t);
  const controller = new AbortController();
  service.jobs = () => controller.abort(new Error('enough'));
  const calls = [client.listJobs({ signal: controller.signal }), client.listJobs({ signal: controller.signal })];
  for (const call of calls) await assert.rejects(call, { message: 'enough' });
  service.jobs = answer(200, jobs);
  assert.equal(decode(await client.listJobs()), jobs);
  assert.equal(service.jobRequests.length, 2);
  await assert.rejects(client.listJobs({ signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('a redirect is not followed', bound, async (t) => {
  const { service, client } = await start(t);
  const other = new Service();
  await other.listen();
  t.after(() => other.close());
  service.token = answer(307, '', { Location: `${other.config.authUrl}/connect/token` });
  await assert.rejects(client.listJobs(), { code: 'token_endpoint_rejected', status: 307 });
  assert.equal(other.tokenRequests.length, 0);
});

test('a fetch of your own', bound, async (t) => {
  /** @type {string[]} */
  const urls = [];
  const { service, client } = await start(
    t,
    {},
    {
      fetch(url, init) {
        urls.push(String(url));
        return fetch(url, init);
      },
    },
  );
  await client.listJobs();
  assert.deepEqual(urls, [`${service.config.authUrl}/connect/token`, `${service.config.baseUrl}/jobs`]);
});

test('a closed client', bound, async (t) => {
  const { client } = await start(t);
  const last = client.listJobs();
  await client.close();
  assert.equal(decode(await last), jobs);
  await assert.rejects(client.listJobs(), { message: 'the client is closed' });
  await client[Symbol.asyncDispose]();
});

for (const worker of [true, undefined]) {
  const where = worker ? 'in a worker' : 'wherever it runs';

  test(`${where}: a request that gets no answer, then one that does`, bound, async (t) => {
    const gone = new Service();
    await gone.listen();
    await gone.close();
    const { service, client } = await start(t, { baseUrl: gone.config.baseUrl }, { worker });
    await assert.rejects(client.listJobs(), (/** @type {any} */ error) => {
      assert.equal(error.code, 'network_error');
      assert.equal(error.retryable, true);
      assert.ok(error.cause instanceof Error);
      return true;
    });
    const back = new Service();
    await back.listen(gone.port);
    t.after(() => back.close());
    assert.equal(decode(await client.listJobs()), jobs);
    assert.equal(service.tokenRequests.length, 1);
  });

  test(`${where}: an answer that breaks off`, bound, async (t) => {
    const { service, client } = await start(t, {}, { worker });
    service.jobs = (response) => {
      response.writeHead(200, { 'Content-Length': 1000 });
      response.write('not all', () => breakOff(response));
    };
    await assert.rejects(client.listJobs(), { code: 'network_error' });
    service.jobs = answer(200, jobs);
    assert.equal(decode(await client.listJobs()), jobs);
  });

  test(`${where}: a lost token request begins a wait`, bound, async (t) => {
    const { service, client } = await start(t, {}, { worker });
    service.token = breakOff;
    await assert.rejects(client.listJobs(), { code: 'network_error', retryAfter: 1 });
    await assert.rejects(client.listJobs(), { code: 'network_error' });
    assert.equal(service.tokenRequests.length, 1);
  });

  test(`${where}: a plugin that traps does not hang`, bound, async (t) => {
    const client = await Rostering.open(trap, new Service().config, { worker });
    t.after(() => client.close());
    const trapped = /^Error: the plugin failed: .*unreachable/i;
    await assert.rejects(client.listJobs(), trapped);
    await assert.rejects(client.listJobs(), trapped);
  });
}

test('what is no plugin', bound, async () => {
  const bytes = (await wasm()).subarray(0, 100);
  await assert.rejects(Rostering.open(bytes, new Service().config), WebAssembly.CompileError);
});
