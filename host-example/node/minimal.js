// The direct form: the SDK alone, without the library. The plugin sends the requests itself, through the SDK, and has no
// clock. README.md tells what to set in the environment.

import createPlugin from 'extism';

const { env } = process;
const { ROSTERING_AUTH_URL = '', ROSTERING_BASE_URL = '' } = env;
const plugin = await createPlugin('../../dist/rostering-nowasi.wasm', {
  runInWorker: !('Suspending' in WebAssembly), // for HTTP in Node 20 and 22
  allowedHosts: [ROSTERING_AUTH_URL, ROSTERING_BASE_URL].map((url) => new URL(url).hostname),
  config: {
    auth_url: ROSTERING_AUTH_URL,
    base_url: ROSTERING_BASE_URL,
    environment: env.ROSTERING_ENVIRONMENT ?? '',
    client_id: env.ROSTERING_CLIENT_ID ?? '',
    client_secret: env.ROSTERING_CLIENT_SECRET ?? '',
    customer_id: env.ROSTERING_CUSTOMER_ID ?? '',
    user_id: env.ROSTERING_USER_ID ?? '',
  },
});
try {
  const now = Math.floor(Date.now() / 1000);
  const jobs = await plugin.call('list_jobs', JSON.stringify({ now }));
  console.log(jobs?.json());
} finally {
  await plugin.close();
}
