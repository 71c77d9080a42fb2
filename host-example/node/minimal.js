// The direct form: the SDK alone, without the library, and the plugin sends the requests. README.md tells what to set in
// the environment.

import createPlugin from 'extism';

const { ROSTERING_AUTH_URL = '', ROSTERING_BASE_URL = '', ...env } = process.env;
const plugin = await createPlugin('../../dist/rostering.wasm', {
  useWasi: true, // the clock
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
  const jobs = await plugin.call('list_jobs');
  console.log(jobs?.json());
} finally {
  await plugin.close();
}
