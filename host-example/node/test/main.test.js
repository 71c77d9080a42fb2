import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readConfig } from '../demo.js';
import { answer, Service } from './service.js';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('..', import.meta.url));

/** @param {Service} service */
async function environment(service) {
  await service.listen();
  const { authUrl, baseUrl, environment, clientId, clientSecret, customerId, userId } = service.config;
  return {
    ROSTERING_AUTH_URL: authUrl,
    ROSTERING_BASE_URL: baseUrl,
    ROSTERING_ENVIRONMENT: environment,
    ROSTERING_CLIENT_ID: clientId,
    ROSTERING_CLIENT_SECRET: clientSecret,
    ROSTERING_CUSTOMER_ID: customerId,
    ROSTERING_USER_ID: userId,
  };
}

test('it shows a token, the jobs and an error', { timeout: 60_000 }, async (t) => {
  const service = new Service();
  const env = await environment(service);
  t.after(() => service.close());
  const { stdout } = await run(process.execPath, ['main.js'], { cwd: folder, env, timeout: 50_000 });
  assert.match(stdout, /^token: token-1… \(7 characters\)\n {2}expires_at: .*\njobs: 10 bytes\n {2}\[{"id":1}\]\n/);
  assert.match(stdout, /code: token_endpoint_rejected\n.* {2}oauthError: invalid_client\n/s);
  assert.deepEqual([service.tokenRequests.length, service.jobRequests.length], [2, 2]);
});

test('it explains what goes wrong', { timeout: 60_000 }, async (t) => {
  const service = new Service();
  const env = await environment(service);
  t.after(() => service.close());
  const args = { cwd: folder, env: { ...env, ROSTERING_CLIENT_SECRET: 'wrong' }, timeout: 50_000 };
  await assert.rejects(run(process.execPath, ['main.js'], args), (/** @type {any} */ failed) => {
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /failed: RosteringError: .*\n.* {2}code: token_endpoint_rejected\n/s);
    return true;
  });
});

test('the least program', { timeout: 60_000 }, async (t) => {
  const service = new Service();
  const env = await environment(service);
  t.after(() => service.close());
  const options = { cwd: folder, env, timeout: 50_000 };
  assert.equal((await run(process.execPath, ['jobs.js'], options)).stdout, '[ { id: 1 } ]\n');
  service.jobs = answer(503, 'busy');
  const { stdout, stderr } = await run(process.execPath, ['jobs.js'], options);
  assert.equal(stdout, '');
  assert.match(stderr, /service_error .*\ncall again in 1 s\n/);
});

test('it names what is missing', () => {
  const env = {
    ROSTERING_AUTH_URL: 'x',
    ROSTERING_BASE_URL: 'x',
    ROSTERING_ENVIRONMENT: 'x',
    ROSTERING_CLIENT_ID: 'x',
    ROSTERING_USER_ID: 'x',
  };
  assert.throws(() => readConfig(env), { message: 'set ROSTERING_CLIENT_SECRET, ROSTERING_CUSTOMER_ID' });
});
