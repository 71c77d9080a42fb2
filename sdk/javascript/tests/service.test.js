import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Sandbox } from './sandbox.js';

const program = fileURLToPath(new URL('../service.js', import.meta.url));
const bound = { timeout: 60_000 };

/**
 * The service, with a sandbox of its own.
 *
 * @param {import('node:test').TestContext} t
 */
async function start(t) {
  const sandbox = await Sandbox.start(t);
  const service = spawn(process.execPath, [program], {
    env: { ...sandbox.env, PORT: '0', LOG_LEVEL: 'debug' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(service, 'exit');
  const log = text(service.stderr);
  t.after(() => service.kill('SIGKILL'));
  const [port] = await once(createInterface(service.stdout), 'line', { signal: AbortSignal.timeout(20_000) });
  const get = (path = '/jobs') => fetch(`http://127.0.0.1:${port}${path}`);
  return { sandbox, service, ended, log, get };
}

test('200 requests at once, with one token', bound, async (t) => {
  const { sandbox, service, ended, log, get } = await start(t);
  const answers = await Promise.all(Array.from({ length: 200 }, () => get()));
  for (const answer of answers) {
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
    assert.match(await answer.text(), /sandbox-job-1/);
  }
  assert.deepEqual(await sandbox.counts(), { token_requests: 1, job_requests: 200 });
  service.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  const [request] = await sandbox.requests('jobs');
  const token = request?.headers.authorization?.replace('Bearer ', '') ?? 'none';
  const lines = await log;
  assert.ok(lines.includes('HTTP 200 to POST'), 'the log has no line of the plugin');
  assert.ok(!lines.includes(token) && !lines.includes(sandbox.env.ROSTERING_CLIENT_SECRET));
});

test('SIGTERM lets a request in flight end', bound, async (t) => {
  const { sandbox, service, ended, get } = await start(t);
  await sandbox.fault('jobs', { hold: true });
  const answer = get();
  await sandbox.wait({ job_requests: 1 });
  service.kill('SIGTERM');
  const isOpen = () =>
    get('/').then(
      ({ status }) => status === 404,
      () => false,
    );
  while (await isOpen());
  await sandbox.clearFaults();
  assert.equal((await answer).status, 200);
  assert.deepEqual(await ended, [0, null]);
});

test('errors', bound, async (t) => {
  const { sandbox, get } = await start(t);
  await sandbox.fault('jobs', { status: 503, headers: { 'Retry-After': '7' } });
  const busy = await get();
  assert.deepEqual([busy.status, busy.headers.get('retry-after')], [503, '7']);
  assert.equal(/** @type {any} */ (await busy.json()).code, 'service_error');
  await sandbox.fault('jobs', { status: 404, body: 'its own affair' });
  const gone = await get();
  assert.deepEqual([gone.status, gone.headers.get('retry-after')], [502, null]);
  assert.doesNotMatch(await gone.text(), /affair/);
});
