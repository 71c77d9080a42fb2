import { expect, setDefaultTimeout, test } from 'bun:test';
import { fileURLToPath } from 'node:url';
import { Service } from '../../node/test/service.js';

setDefaultTimeout(60_000); // milliseconds

const folder = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program against a service. */
async function run(program: string, env: Record<string, string> = {}) {
  const service = new Service();
  await service.listen();
  const { config } = service;
  try {
    const child = Bun.spawn([process.execPath, program], {
      cwd: folder,
      env: {
        NO_COLOR: '1',
        NO_PROXY: '127.0.0.1',
        ROSTERING_AUTH_URL: config.authUrl,
        ROSTERING_BASE_URL: config.baseUrl,
        ROSTERING_ENVIRONMENT: config.environment,
        ROSTERING_CLIENT_ID: config.clientId,
        ROSTERING_CLIENT_SECRET: config.clientSecret,
        ROSTERING_CUSTOMER_ID: config.customerId,
        ROSTERING_USER_ID: config.userId,
        ...env,
      },
      stderr: 'pipe',
      timeout: 50_000,
    });
    const text = (output: ReadableStream) => new Response(output).text();
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), child.exited]);
    return { code, stdout, stderr, service };
  } finally {
    await service.close();
  }
}

test('main shows a token, the jobs and an error', async () => {
  const { code, stdout, stderr, service } = await run('main.ts');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^token: token-1… \(7 characters\)\n {2}expires_at: .*\njobs: 10 bytes\n {2}\[{"id":1}\]\n/);
  expect(stdout).toMatch(/code: token_endpoint_rejected\n.* {2}oauthError: invalid_client\n/s);
  expect([service.tokenRequests.length, service.jobRequests.length]).toEqual([2, 2]);
});

test('main explains what goes wrong', async () => {
  const { code, stderr } = await run('main.ts', { ROSTERING_CLIENT_SECRET: 'wrong' });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^failed: RosteringError: .*\n.* {2}code: token_endpoint_rejected\n/s);
});

test('main names what is missing', async () => {
  const { code, stderr } = await run('main.ts', { ROSTERING_CLIENT_SECRET: '', ROSTERING_USER_ID: '' });
  expect([code, stderr]).toEqual([1, 'failed: Error: set ROSTERING_CLIENT_SECRET, ROSTERING_USER_ID\n']);
});

test('the least program', async () => {
  const { code, stdout, stderr } = await run('jobs.ts');
  expect([code, stdout, stderr]).toEqual([0, '[\n  {\n    id: 1,\n  }\n]\n', '']);
});

test('the least program, with a wrong secret', async () => {
  const { stderr } = await run('jobs.ts', { ROSTERING_CLIENT_SECRET: 'wrong' });
  expect(stderr).toMatch(/^token_endpoint_rejected .*\n$/);
});
