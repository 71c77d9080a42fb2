import assert from 'node:assert/strict';
import { Service } from '../node/test/service.js';

// What the plugin and the SDK need, and no more.
const permissions = [
  '--no-prompt',
  '--allow-read=../../dist',
  '--allow-env=ROSTERING_*,EXTISM_ENABLE_WASI_OUTPUT,__MINIMATCH_TESTING_PLATFORM__',
];

const folder = new URL('.', import.meta.url);

/** Runs a program against a service, with the network that is given, or that of the service alone. */
async function run(program: string, env: Record<string, string> = {}, net?: string) {
  const service = new Service();
  await service.listen();
  const { config } = service;
  try {
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ['run', ...permissions, `--allow-net=${net ?? `127.0.0.1:${service.port}`}`, program],
      cwd: folder,
      env: {
        NO_COLOR: '1',
        ROSTERING_AUTH_URL: config.authUrl,
        ROSTERING_BASE_URL: config.baseUrl ?? '',
        ROSTERING_ENVIRONMENT: config.environment ?? '',
        ROSTERING_CLIENT_ID: config.clientId,
        ROSTERING_CLIENT_SECRET: config.clientSecret,
        ROSTERING_CUSTOMER_ID: config.customerId ?? '',
        ROSTERING_USER_ID: config.userId ?? '',
        ...env,
      },
      signal: AbortSignal.timeout(60_000),
    }).output();
    const text = (bytes: BufferSource) => new TextDecoder().decode(bytes);
    return { code, stdout: text(stdout), stderr: text(stderr), service };
  } finally {
    await service.close();
  }
}

Deno.test('main shows a token, the jobs and an error', async () => {
  const { code, stdout, stderr, service } = await run('main.ts');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^token: token-1… \(7 characters\)\n {2}expires_at: .*\njobs: 10 bytes\n {2}\[{"id":1}\]\n/);
  assert.match(stdout, /code: token_endpoint_rejected\n.* {2}oauthError: invalid_client\n/s);
  assert.deepEqual([service.tokenRequests.length, service.jobRequests.length], [2, 2]);
});

Deno.test('main explains what goes wrong', async () => {
  const { code, stderr } = await run('main.ts', { ROSTERING_CLIENT_SECRET: 'wrong' });
  assert.equal(code, 1);
  assert.match(stderr, /^failed: RosteringError: .*\n.* {2}code: token_endpoint_rejected\n/s);
});

Deno.test('main names what is missing', async () => {
  const { code, stderr } = await run('main.ts', { ROSTERING_CLIENT_SECRET: '', ROSTERING_USER_ID: '' });
  assert.deepEqual([code, stderr], [1, 'failed: Error: set ROSTERING_CLIENT_SECRET, ROSTERING_USER_ID\n']);
});

Deno.test('a host that Deno does not allow', async () => {
  const { code, stderr, service } = await run('main.ts', {}, 'login.example.com');
  assert.equal(code, 1);
  assert.match(stderr, / {2}code: network_error\n.* {2}cause: NotCapable: Requires net access to "127/s);
  assert.equal(service.tokenRequests.length, 0);
});

Deno.test('the least program', async () => {
  const { code, stdout, stderr } = await run('jobs.ts');
  assert.deepEqual([code, stdout, stderr], [0, '[ { id: 1 } ]\n', '']);
});

Deno.test('the least program, with a wrong secret', async () => {
  const { stderr } = await run('jobs.ts', { ROSTERING_CLIENT_SECRET: 'wrong' });
  assert.match(stderr, /^token_endpoint_rejected .*\n$/);
});
