import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readSettings } from '../local/bundle.js';
import { listen, secret, Service } from './service.js';

const run = promisify(execFile);
const main = fileURLToPath(new URL('../main.js', import.meta.url));

test('it shows the jobs and an error', { timeout: 60_000 }, async (t) => {
  const service = await listen(t);
  const { stdout } = await run(process.execPath, [main], { env: service.bindings, timeout: 50_000 });
  const jobs = '10 bytes\n  [{"id":1}]\n';
  assert.ok(stdout.startsWith(`jobs: ${jobs}jobs again, with the same token: ${jobs}a wrong client_secret:\n`), stdout);
  assert.match(stdout, /^ {2}status: 502\n {2}code: token_endpoint_rejected\n/m);
  assert.ok(!stdout.includes(secret));
  assert.deepEqual([service.tokenRequests.length, service.jobRequests.length], [2, 2]);
});

test('it names what is missing', { timeout: 60_000 }, async () => {
  const env = { ROSTERING_AUTH_URL: 'x', ROSTERING_BASE_URL: 'x', ROSTERING_ENVIRONMENT: 'x', ROSTERING_USER_ID: 'x' };
  await assert.rejects(run(process.execPath, [main], { env, timeout: 50_000 }), (/** @type {any} */ failed) => {
    assert.equal(failed.code, 1);
    const names = 'ROSTERING_CLIENT_ID, ROSTERING_CLIENT_SECRET, ROSTERING_CUSTOMER_ID';
    assert.equal(failed.stderr, `failed: Error: set ${names}\n`);
    return true;
  });
});

test('wrangler.jsonc has all settings but the secret', async () => {
  const { vars } = await readSettings();
  const bound = Object.keys(new Service().bindings);
  assert.deepEqual([...Object.keys(vars), 'ROSTERING_CLIENT_SECRET'].sort(), bound.sort());
});
