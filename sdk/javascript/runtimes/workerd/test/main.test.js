import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Sandbox } from '../../node/test/sandbox.js';
import { readSettings } from '../local/bundle.js';

const run = promisify(execFile);
const main = fileURLToPath(new URL('../main.js', import.meta.url));

test('it shows the jobs and an error', { timeout: 60_000 }, async (t) => {
  const sandbox = await Sandbox.start(t);
  const { stdout } = await run(process.execPath, [main], { env: sandbox.env, timeout: 50_000 });
  assert.match(
    stdout,
    /^jobs: (\d+ bytes\n {2}{"sandbox":.*\n)jobs again, with the same token: \1a wrong client_secret:\n/,
  );
  assert.match(stdout, /^ {2}status: 502\n {2}code: token_endpoint_rejected\n/m);
  assert.ok(!stdout.includes(sandbox.env.ROSTERING_CLIENT_SECRET));
  assert.deepEqual(await sandbox.counts(), { token_requests: 2, job_requests: 2 });
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

test('wrangler.jsonc has all settings but the secret', async (t) => {
  const { vars } = await readSettings();
  const bound = Object.keys((await Sandbox.start(t)).env);
  assert.deepEqual([...Object.keys(vars), 'ROSTERING_CLIENT_SECRET'].sort(), bound.sort());
});
