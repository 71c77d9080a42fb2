import assert from 'node:assert/strict';
import { type Config, type Options, Rostering, RosteringError } from '../node/rostering/index.js';
import { answer, breakOff, builds, decode, jobs, secret, Service, wasm } from '../node/test/service.js';

/** A service and a client of it, until they are disposed of. Deno fails a test that leaves anything open. */
async function start({ config, build, ...options }: { config?: Partial<Config>; build?: string } & Options = {}) {
  const service = new Service();
  await service.listen();
  const client = await Rostering.open(await wasm(build), { ...service.config, ...config }, options);
  return {
    service,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await service.close();
    },
  };
}

for (const build of builds) {
  Deno.test(`${build}: a token, and jobs with it`, async () => {
    await using running = await start({ build });
    const { service, client } = running;
    const token = await client.getToken();
    assert.equal(token.accessToken, 'token-1');
    assert.equal(token.tokenType, 'Bearer');
    assert.ok(token.expiresAt > new Date());
    assert.equal(decode(await client.listJobs()), jobs);
    assert.equal(decode(await client.listJobs({ userId: null })), jobs);
    assert.deepEqual(
      service.jobRequests.map((headers) => [headers.authorization, headers.customer_id, headers.user_id]),
      [['Bearer token-1', 'customer', 'user'], ['Bearer token-1', 'customer', undefined]],
    );
    assert.deepEqual(service.tokenRequests.map((form) => form.get('scope')), ['automatic-rostering-stage']);
  });
}

Deno.test('an error of the token endpoint', async () => {
  await using running = await start({ config: { clientSecret: 'wrong' } });
  const error = await running.client.listJobs().catch((error) => error);
  assert.ok(error instanceof RosteringError);
  assert.deepEqual(
    [error.code, error.status, error.oauthError, error.retryable],
    ['token_endpoint_rejected', 401, 'invalid_client', false],
  );
});

Deno.test('an error of the service', async () => {
  await using running = await start();
  running.service.jobs = answer(503, 'busy');
  const expected = { code: 'service_error', retryable: true, status: 503, body: 'busy' };
  await assert.rejects(running.client.listJobs(), expected);
});

Deno.test('an error of the config', async () => {
  await using running = await start({ config: { environment: 'test' } });
  const expected = { code: 'config_invalid', key: 'environment', retryable: false };
  await assert.rejects(running.client.listJobs(), expected);
  assert.equal(running.service.tokenRequests.length, 0);
});

Deno.test('a connection that closes: the client goes on', async () => {
  await using running = await start();
  const { service, client } = running;
  service.jobs = breakOff;
  const error = await client.listJobs().catch((error) => error);
  assert.ok(error instanceof RosteringError);
  assert.deepEqual([error.code, error.retryable], ['network_error', true]);
  assert.ok(error.cause instanceof TypeError);
  service.jobs = answer(200, jobs);
  assert.equal(decode(await client.listJobs()), jobs);
  assert.equal(service.tokenRequests.length, 1);
});

Deno.test('a lost token request is sent once, and begins a wait', async () => {
  await using running = await start();
  const { service, client } = running;
  service.token = breakOff;
  await assert.rejects(client.listJobs(), { code: 'network_error', retryAfter: 1 });
  await assert.rejects(client.listJobs(), { code: 'network_error' });
  assert.equal(service.tokenRequests.length, 1);
});

Deno.test('with no connection kept open, each request is sent once', async () => {
  using http = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  await using running = await start({ fetch: (url, init) => fetch(url, { ...init, client: http }) });
  const { service, client } = running;
  service.jobs = breakOff;
  await assert.rejects(client.listJobs(), { code: 'network_error' });
  assert.deepEqual([service.tokenRequests.length, service.jobRequests.length], [1, 1]);
});

Deno.test('no answer in time: the client goes on', async () => {
  await using running = await start({ timeoutMs: 500 });
  const { service, client } = running;
  service.jobs = () => {};
  const error = await client.listJobs().catch((error) => error);
  assert.deepEqual([error.code, error.cause.name], ['network_error', 'TimeoutError']);
  service.jobs = answer(200, jobs);
  assert.equal(decode(await client.listJobs()), jobs);
  assert.equal(service.tokenRequests.length, 1);
});

Deno.test('a redirect is not followed', async () => {
  await using running = await start();
  const { service, client } = running;
  service.token = answer(307, '', { Location: `${service.config.authUrl}/elsewhere` });
  await assert.rejects(client.listJobs(), { code: 'token_endpoint_rejected', status: 307 });
  assert.deepEqual([service.tokenRequests.length, service.jobRequests.length], [1, 0]);
});

Deno.test('two clients at once have a token each', async () => {
  await using running = await start();
  const { service, client } = running;
  await using other = await Rostering.open(await wasm(), { ...service.config, customerId: 'other' });
  await Promise.all([1, 2, 3, 4, 5].flatMap(() => [client.listJobs(), other.listJobs()]));
  const tokens = new Map([['customer', await client.getToken()], ['other', await other.getToken()]]);
  assert.notEqual(tokens.get('customer')?.accessToken, tokens.get('other')?.accessToken);
  assert.equal(service.tokenRequests.length, 2);
  assert.equal(service.jobRequests.length, 10);
  for (const { customer_id, authorization } of service.jobRequests) {
    assert.equal(authorization, `Bearer ${tokens.get(String(customer_id))?.accessToken}`);
  }
});

Deno.test('neither secret nor token shows', async () => {
  await using running = await start();
  const { service, client } = running;
  const token = await client.getToken();
  service.jobs = answer(500, `${secret} ${token.accessToken}`);
  const error = await client.listJobs().catch((error) => error);
  assert.equal(error.body, '[redacted] [redacted]');
  for (const value of [client, token, error]) {
    for (const shown of [String(value), JSON.stringify(value), Deno.inspect(value, { depth: 99, showHidden: true })]) {
      assert.ok(!shown.includes(secret) && !shown.includes(token.accessToken));
    }
  }
});
