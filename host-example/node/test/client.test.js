// What every form of the client does.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rostering, RosteringError, Token } from '../rostering/index.js';
import { answer, breakOff, builds, decode, forms, jobs, Service, start, wasm } from './service.js';

const bound = { timeout: 30_000 };

for (const form of forms) {
  for (const build of builds) {
    test(`${form}, ${build}: the second call uses the token of the first`, bound, async (t) => {
      const { service, client } = await start(t, {}, { form, build });
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

    test(`${form}, ${build}: a token`, bound, async (t) => {
      const { client } = await start(t, { baseUrl: undefined, customerId: undefined }, { form, build });
      const token = await client.getToken();
      assert.equal(token.accessToken, 'token-1');
      assert.equal(token.tokenType, 'Bearer');
      assert.ok(token.expiresAt > new Date());
      assert.ok(token.cacheKey);
      assert.equal((await client.getToken()).accessToken, 'token-1');
      assert.equal((await client.getToken({ force: true })).accessToken, 'token-2');
    });
  }

  test(`${form}: ids of one call`, bound, async (t) => {
    const { service, client } = await start(t, {}, { form });
    await client.listJobs({ customerId: 'other', userId: null });
    assert.equal(service.jobRequests[0]?.customer_id, 'other');
    assert.equal(service.jobRequests[0]?.user_id, undefined);
  });

  test(`${form}: an empty answer`, bound, async (t) => {
    const { service, client } = await start(t, {}, { form });
    service.jobs = answer(204, '');
    assert.equal((await client.listJobs()).length, 0);
  });

  test(`${form}: a request of your own`, bound, async (t) => {
    const { service, client } = await start(t, {}, { form });
    service.jobs = (response) => response.end(Buffer.from([0xff, 0, 1]));
    const options = { method: 'PUT', headers: { 'If-Match': '"1"' }, body: '{"a":"é"}', userId: null };
    assert.deepEqual([...(await client.sendRequest('/jobs/1?dry=yes', options))], [0xff, 0, 1]);
    const { authorization, user_id, ...headers } = service.jobRequests[0] ?? {};
    assert.deepEqual(
      [authorization, user_id, headers['if-match'], headers['content-type']],
      ['Bearer token-1', undefined, '"1"', undefined],
    );
    service.jobs = answer(200, jobs);
    assert.equal(decode(await client.sendRequest('/of/the/service/connect/token', { method: 'POST' })), jobs);
    assert.deepEqual(service.lines, ['PUT /jobs/1?dry=yes {"a":"é"}', 'POST /of/the/service/connect/token']);
    await assert.rejects(client.sendRequest('//host'), { code: 'invalid_input', key: 'path' });
  });

  test(`${form}: a token of another client`, bound, async (t) => {
    const { service, client: first } = await start(t, {}, { form });
    const { service: other, client: second } = await start(t, service.config, { form });
    const token = await first.getToken();
    const stored = JSON.stringify(token.toObject());
    await second.setToken(new Token(JSON.parse(stored)));
    assert.equal(decode(await second.listJobs()), jobs);
    assert.deepEqual([service.tokenRequests.length, other.tokenRequests.length], [1, 0]);
    assert.equal(service.jobRequests[0]?.authorization, 'Bearer token-1');
    assert.deepEqual(await second.getToken(), token);

    const { client: stranger } = await start(t, { clientId: 'other' }, { form });
    await assert.rejects(stranger.setToken(token), { code: 'token_mismatch', retryable: false });
  });

  test(`${form}: a token that is forgotten`, bound, async (t) => {
    const { service, client } = await start(t, {}, { form });
    await client.listJobs();
    await client.clearToken();
    await client.listJobs();
    assert.deepEqual(
      service.jobRequests.map(({ authorization }) => authorization),
      ['Bearer token-1', 'Bearer token-2'],
    );
    await client.clearToken();
  });

  test(`${form}: calls at once ask for one token`, bound, async (t) => {
    const { service, client } = await start(t, {}, { form });
    const bodies = await Promise.all(Array.from({ length: 20 }, () => client.listJobs()));
    assert.deepEqual(bodies.map(decode), Array(20).fill(jobs));
    assert.equal(service.tokenRequests.length, 1);
  });

  test(`${form}: log lines`, bound, async (t) => {
    /** @type {string[]} */
    const lines = [];
    const { client } = await start(t, {}, { form, log: (level, line) => lines.push(`${level} ${line}`) });
    await client.listJobs();
    assert.equal(lines.filter((line) => line.startsWith('debug HTTP 200')).length, 2);
  });

  test(`${form}: no answer in time`, bound, async (t) => {
    const { service, client } = await start(t, {}, { form, timeoutMs: 2000 });
    await client.getToken();
    service.jobs = () => {};
    await assert.rejects(client.listJobs(), (/** @type {any} */ error) => {
      assert.ok(error instanceof RosteringError);
      assert.deepEqual([error.code, error.retryable], ['network_error', true]);
      assert.equal(/** @type {any} */ (error.cause).name, 'TimeoutError');
      return true;
    });
    service.jobs = answer(200, jobs);
    assert.equal(decode(await client.listJobs()), jobs);
    assert.equal(service.tokenRequests.length, 1);
  });

  test(`${form}: a call that is aborted`, bound, async (t) => {
    const { service, client } = await start(t, {}, { form });
    const controller = new AbortController();
    service.jobs = () => controller.abort(new Error('enough'));
    await assert.rejects(client.listJobs({ signal: controller.signal }), { message: 'enough' });
    service.jobs = answer(200, jobs);
    assert.equal(decode(await client.listJobs()), jobs);
    assert.equal(service.jobRequests.length, 2);
    assert.equal(service.tokenRequests.length, 1);
    await assert.rejects(client.listJobs({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  });

  for (const status of [302, 307]) {
    test(`${form}: a ${status} is not followed`, bound, async (t) => {
      const { service, client } = await start(t, {}, { form });
      const other = new Service();
      await other.listen();
      t.after(() => other.close());
      service.jobs = answer(status, '', { Location: `${other.config.authUrl}/jobs` });
      await assert.rejects(client.listJobs(), { code: 'service_error', status });
      await client.clearToken();
      service.token = answer(status, '', { Location: `${other.config.authUrl}/connect/token` });
      await assert.rejects(client.listJobs(), { code: 'token_endpoint_rejected', status });
      assert.deepEqual([other.tokenRequests.length, other.jobRequests.length], [0, 0]);
    });
  }

  test(`${form}: a fetch of your own`, bound, async (t) => {
    /** @type {string[]} */
    const urls = [];
    const { service, client } = await start(
      t,
      {},
      {
        form,
        fetch(url, init) {
          urls.push(String(url));
          return fetch(url, init);
        },
      },
    );
    await client.listJobs();
    assert.deepEqual(urls, [`${service.config.authUrl}/connect/token`, `${service.config.baseUrl}/jobs`]);
  });

  test(`${form}: a request that gets no answer, then one that does`, bound, async (t) => {
    const gone = new Service();
    await gone.listen();
    await gone.close();
    const { service, client } = await start(t, { baseUrl: gone.config.baseUrl }, { form });
    await assert.rejects(client.listJobs(), (/** @type {any} */ error) => {
      assert.deepEqual([error.code, error.retryable], ['network_error', true]);
      assert.ok(error.cause instanceof Error);
      return true;
    });
    const back = new Service();
    await back.listen(gone.port);
    t.after(() => back.close());
    assert.equal(decode(await client.listJobs()), jobs);
    assert.equal(service.tokenRequests.length, 1);
  });

  test(`${form}: a closed client`, bound, async (t) => {
    const { client } = await start(t, {}, { form });
    let done = 0;
    for (let i = 0; i < 8; i++) client.listJobs().then(() => done++);
    await client.close();
    assert.equal(done, 8);
    for (const call of [() => client.listJobs(), () => client.getToken(), () => client.clearToken()]) {
      await assert.rejects(call, { message: 'the client is closed' });
    }
    await client[Symbol.asyncDispose]();
  });

  test(`${form}: what is no plugin`, bound, async () => {
    const bytes = (await wasm()).subarray(0, 100);
    await assert.rejects(Rostering[form](bytes, new Service().config), WebAssembly.CompileError);
  });
}

/** @type {[string, object][]} */
const everywhere = [
  ...forms.map((form) => /** @type {[string, object]} */ ([form, { form }])),
  ['open, in a worker', { worker: true }],
];

for (const [where, options] of everywhere) {
  test(`${where}: an answer that breaks off`, bound, async (t) => {
    const { service, client } = await start(t, {}, options);
    service.jobs = (response) => {
      response.writeHead(200, { 'Content-Length': 1000 });
      response.write('not all', () => breakOff(response));
    };
    await assert.rejects(client.listJobs(), { code: 'network_error' });
    service.jobs = answer(200, jobs);
    assert.equal(decode(await client.listJobs()), jobs);
  });

  test(`${where}: a lost token request begins a wait`, bound, async (t) => {
    t.mock.method(Date, 'now', () => 1_800_000_000_000); // or the wait could be over
    const { service, client } = await start(t, {}, options);
    service.token = breakOff;
    await assert.rejects(client.listJobs(), { code: 'network_error', retryAfter: 1 });
    await assert.rejects(client.listJobs(), { code: 'network_error' });
    assert.equal(service.tokenRequests.length, 1);
  });
}
