import { expect, test } from 'bun:test';
import { type Config, type Options, Rostering, RosteringError } from '../../node/rostering/index.js';
import { answer, breakOff, decode, jobs, secret, Service, wasm } from '../../node/test/service.js';

/** A service and a client of it, until they are disposed of. */
async function start({ config, ...options }: { config?: Partial<Config> } & Options = {}) {
  const service = new Service();
  await service.listen();
  const client = await Rostering.open(await wasm(), { ...service.config, ...config }, options);
  return {
    service,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await service.close();
    },
  };
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => 'it did not fail',
    (error) => error,
  );

test('a token, and jobs with it', async () => {
  await using running = await start();
  const { service, client } = running;
  const token = await client.getToken();
  expect(token.accessToken).toBe('token-1');
  expect(token.tokenType).toBe('Bearer');
  expect(token.expiresAt.getTime()).toBeGreaterThan(Date.now());
  expect(decode(await client.listJobs())).toBe(jobs);
  expect(decode(await client.listJobs({ userId: null }))).toBe(jobs);
  expect(service.jobRequests.map((headers) => [headers.authorization, headers.customer_id, headers.user_id])).toEqual([
    ['Bearer token-1', 'customer', 'user'],
    ['Bearer token-1', 'customer', undefined],
  ]);
  expect(service.tokenRequests.map((form) => form.get('scope'))).toEqual(['automatic-rostering-stage']);
});

test('an error of the token endpoint', async () => {
  await using running = await start({ config: { clientSecret: 'wrong' } });
  const error = await failure(running.client.listJobs());
  expect(error).toBeInstanceOf(RosteringError);
  const expected = { code: 'token_endpoint_rejected', status: 401, oauthError: 'invalid_client', retryable: false };
  expect(error).toMatchObject(expected);
});

test('an error of the service', async () => {
  await using running = await start();
  running.service.jobs = answer(503, 'busy');
  const expected = { code: 'service_error', retryable: true, status: 503, body: 'busy' };
  expect(await failure(running.client.listJobs())).toMatchObject(expected);
});

test('an error of the config', async () => {
  await using running = await start({ config: { environment: 'test' } });
  const expected = { code: 'config_invalid', key: 'environment', retryable: false };
  expect(await failure(running.client.listJobs())).toMatchObject(expected);
  expect(running.service.tokenRequests).toHaveLength(0);
});

for (const worker of [false, true]) {
  test(`a connection that closes ${worker ? 'in a worker' : 'in the foreground'}: the client goes on`, async () => {
    await using running = await start({ worker });
    const { service, client } = running;
    service.jobs = breakOff;
    const error = await failure(client.listJobs());
    expect(error).toBeInstanceOf(RosteringError);
    expect(error).toMatchObject({ code: 'network_error', retryable: true });
    expect(error.cause).toBeInstanceOf(TypeError);
    service.jobs = answer(200, jobs);
    expect(decode(await client.listJobs())).toBe(jobs);
    expect(service.tokenRequests).toHaveLength(1);
  });
}

test('a lost token request is sent once, and begins a wait', async () => {
  await using running = await start();
  const { service, client } = running;
  service.token = breakOff;
  expect(await failure(client.listJobs())).toMatchObject({ code: 'network_error', retryAfter: 1 });
  expect(await failure(client.listJobs())).toMatchObject({ code: 'network_error' });
  expect(service.tokenRequests).toHaveLength(1);
});

test('no answer in time: the client goes on', async () => {
  await using running = await start({ timeoutMs: 500 });
  const { service, client } = running;
  service.jobs = () => {};
  const error = await failure(client.listJobs());
  expect([error.code, error.cause.name]).toEqual(['network_error', 'TimeoutError']);
  service.jobs = answer(200, jobs);
  expect(decode(await client.listJobs())).toBe(jobs);
  expect(service.tokenRequests).toHaveLength(1);
});

test('a redirect is not followed', async () => {
  await using running = await start();
  const { service, client } = running;
  service.token = answer(307, '', { Location: `${service.config.authUrl}/elsewhere` });
  expect(await failure(client.listJobs())).toMatchObject({ code: 'token_endpoint_rejected', status: 307 });
  expect([service.tokenRequests.length, service.jobRequests.length]).toEqual([1, 0]);
});

test('two clients at once have a token each', async () => {
  await using running = await start();
  const { service, client } = running;
  await using other = await Rostering.open(await wasm(), { ...service.config, customerId: 'other' });
  await Promise.all([1, 2, 3, 4, 5].flatMap(() => [client.listJobs(), other.listJobs()]));
  const tokens = new Map([
    ['customer', await client.getToken()],
    ['other', await other.getToken()],
  ]);
  expect(tokens.get('customer')?.accessToken).not.toBe(tokens.get('other')?.accessToken);
  expect(service.tokenRequests).toHaveLength(2);
  expect(service.jobRequests).toHaveLength(10);
  for (const { customer_id, authorization } of service.jobRequests) {
    expect(authorization).toBe(`Bearer ${tokens.get(String(customer_id))?.accessToken}`);
  }
});

test('neither secret nor token shows', async () => {
  await using running = await start();
  const { service, client } = running;
  const token = await client.getToken();
  service.jobs = answer(500, `${secret} ${token.accessToken}`);
  const error = await failure(client.listJobs());
  expect(error.body).toBe('[redacted] [redacted]');
  for (const value of [client, token, error]) {
    for (const shown of [String(value), JSON.stringify(value), Bun.inspect(value, { depth: 99 })]) {
      expect(shown.includes(secret) || shown.includes(token.accessToken)).toBe(false);
    }
  }
});
