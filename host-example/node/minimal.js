// Direct calls: the SDK alone, without the client library. The plugin sends the requests through the SDK, and has no clock.
// It runs unchanged on Deno and Bun.

import process from 'node:process';
import { fileURLToPath } from 'node:url';
import createPlugin from 'extism';

const { env } = process;
const { ROSTERING_AUTH_URL = '', ROSTERING_BASE_URL = '' } = env;
const wasm = fileURLToPath(new URL('../../dist/rostering-nowasi.wasm', import.meta.url));
const plugin = await createPlugin(wasm, {
  runInWorker: !('Suspending' in WebAssembly), // for HTTP in Node 20 and 22, and in Bun
  allowedHosts: [ROSTERING_AUTH_URL, ROSTERING_BASE_URL]
    .filter((url) => URL.canParse(url))
    .map((url) => new URL(url).hostname),
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
  console.log(jobs?.text());
} catch (error) {
  const { message } = /** @type {Error} */ (error);
  const own = message.split('Plugin-originated error: ')[1]; // otherwise a request got no response
  const { code, message: text } = own
    ? JSON.parse(own)
    : { code: 'network_error', message: `check auth_url and base_url: ${message}` };
  console.error(`${code}: ${text}`);
  process.exitCode = 1;
} finally {
  await plugin.close();
}
