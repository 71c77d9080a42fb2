// Tests of the programs that Node, Deno and Bun have.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { answer, Service } from './service.js';

const bound = { timeout: 60_000 };

/**
 * @param {URL} folder
 * @param {(program: string) => string[]} command starts a program of that folder
 * @param {string} extension of the programs
 */
export function testPrograms(folder, command, extension) {
  /**
   * Runs a program against a service.
   *
   * @param {import('node:test').TestContext} t
   * @param {string} program
   * @param {Record<string, string>} [changes]
   * @param {Service} [service]
   */
  async function run(t, program, changes, service = new Service()) {
    await service.listen();
    t.after(() => service.close());
    const [file = '', ...args] = command(`${program}.${extension}`);
    const child = spawn(file, args, { cwd: folder, env: { ...environment(service), ...changes }, timeout: 50_000 });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code, stdout, stderr, service };
  }

  test('main shows a token, the jobs and an error', bound, async (t) => {
    const { code, stdout, stderr, service } = await run(t, 'main');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /^token: token-1… \(7 characters\)\n {2}expires_at: .*\njobs: 200, 10 char.*\n {2}\[{"id":1}\]\n/,
    );
    assert.match(stdout, /code: token_endpoint_rejected\n.* {2}oauthError: invalid_client\n/s);
    assert.deepEqual([service.tokenRequests.length, service.jobRequests.length], [2, 2]);
  });

  test('main explains what goes wrong, and names what is missing', bound, async (t) => {
    const wrong = await run(t, 'main', { ROSTERING_CLIENT_SECRET: 'not-the-secret' });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /^failed: token_endpoint_rejected: .*\n {2}code: token_endpoint_rejected\n/s);
    const missing = await run(t, 'main', { ROSTERING_CLIENT_SECRET: '', ROSTERING_USER_ID: '' });
    const message = 'failed: Error: set ROSTERING_CLIENT_SECRET, ROSTERING_USER_ID\n';
    assert.deepEqual([missing.code, missing.stderr], [1, message]);
  });

  for (const program of ['jobs', 'minimal']) {
    test(`${program} prints the jobs`, bound, async (t) => {
      const { code, stdout, stderr } = await run(t, program);
      assert.deepEqual([code, stdout.replace(/\W/g, ''), stderr], [0, 'id1', '']);
    });
  }

  test('jobs says what goes wrong', bound, async (t) => {
    const service = new Service();
    service.jobs = answer(503, 'busy');
    const { stdout, stderr } = await run(t, 'jobs', {}, service);
    assert.equal(stdout, '');
    assert.match(stderr, /^service_error: .*\ncall again in 1 s\n$/);
  });
}

/** @param {Service} service */
function environment({ config }) {
  const { PATH = '', HOME = '' } = process.env;
  return {
    PATH,
    HOME,
    NO_COLOR: '1',
    NO_PROXY: '127.0.0.1',
    ROSTERING_AUTH_URL: config.authUrl,
    ROSTERING_BASE_URL: config.baseUrl ?? '',
    ROSTERING_ENVIRONMENT: config.environment ?? '',
    ROSTERING_CLIENT_ID: config.clientId,
    ROSTERING_CLIENT_SECRET: config.clientSecret,
    ROSTERING_CUSTOMER_ID: config.customerId ?? '',
    ROSTERING_USER_ID: config.userId ?? '',
  };
}
