// Tests of the programs that Node, Deno and Bun have.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Sandbox } from './sandbox.js';

const bound = { timeout: 60_000 };

/**
 * @param {URL} folder
 * @param {(program: string) => string[]} command starts a program of that folder
 * @param {string} extension of the programs
 */
export function testPrograms(folder, command, extension) {
  /**
   * Runs a program with a sandbox.
   *
   * @param {Sandbox} sandbox
   * @param {string} program
   * @param {Record<string, string>} [changes] to its environment
   */
  async function run(sandbox, program, changes) {
    const { PATH = '', HOME = '' } = process.env;
    const env = { PATH, HOME, NO_COLOR: '1', NO_PROXY: '127.0.0.1', ...sandbox.env, ...changes };
    const [file = '', ...args] = command(`${program}.${extension}`);
    const child = spawn(file, args, { cwd: folder, env, timeout: 50_000 });
    const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code, stdout, stderr };
  }

  test('main shows a token, the jobs and an error', bound, async (t) => {
    const sandbox = await Sandbox.start(t);
    const { code, stdout, stderr } = await run(sandbox, 'main');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(
      stdout,
      /^token: .{8}… \(\d+ characters\)\n {2}expires_at: .*\njobs: 200, \d+ char.*\n {2}{"sandbox":/,
    );
    assert.match(stdout, /code: token_endpoint_rejected\n.* {2}oauthError: invalid_client\n/s);
    assert.deepEqual(await sandbox.counts(), { token_requests: 2, job_requests: 2 });
  });

  test('main explains what goes wrong, and names what is missing', bound, async (t) => {
    const sandbox = await Sandbox.start(t);
    const wrong = await run(sandbox, 'main', { ROSTERING_CLIENT_SECRET: 'not-the-secret' });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /^failed: token_endpoint_rejected: .*\n {2}code: token_endpoint_rejected\n/s);
    const missing = await run(sandbox, 'main', { ROSTERING_CLIENT_SECRET: '', ROSTERING_USER_ID: '' });
    const message = 'failed: Error: set ROSTERING_CLIENT_SECRET, ROSTERING_USER_ID\n';
    assert.deepEqual([missing.code, missing.stderr], [1, message]);
  });

  test('minimal prints the jobs', bound, async (t) => {
    const { code, stdout, stderr } = await run(await Sandbox.start(t), 'minimal');
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /sandbox-job-1/);
  });
}
