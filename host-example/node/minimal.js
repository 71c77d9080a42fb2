// Direct calls: the SDK alone, without the client library. The plugin sends the requests through the SDK, and has no clock.
// It runs unchanged on Deno and Bun.

import process from 'node:process';
import { fileURLToPath } from 'node:url';
import createPlugin from 'extism';

const { env } = process;
const wasm = fileURLToPath(new URL('../../dist/rostering-nowasi.wasm', import.meta.url));
const config = {
  auth_url: env.ROSTERING_AUTH_URL ?? '',
  base_url: env.ROSTERING_BASE_URL ?? '',
  environment: env.ROSTERING_ENVIRONMENT ?? '',
  client_id: env.ROSTERING_CLIENT_ID ?? '',
  client_secret: env.ROSTERING_CLIENT_SECRET ?? '',
  customer_id: env.ROSTERING_CUSTOMER_ID ?? '',
  user_id: env.ROSTERING_USER_ID ?? '',
};
const urls = [config.auth_url, config.base_url].filter((url) => URL.canParse(url));

// snippet
const plugin = await createPlugin(wasm, {
  config, // auth_url, base_url, environment, client_id, client_secret, customer_id, user_id
  allowedHosts: urls.map((url) => new URL(url).hostname), // of auth_url and base_url
  runInWorker: !('Suspending' in WebAssembly), // needed for HTTP before Node 24, and in Bun
});
try {
  const now = Math.floor(Date.now() / 1000); // this build of the plugin has no clock
  const jobs = await plugin.call('list_jobs', JSON.stringify({ now }));
  console.log(jobs?.text());
} catch (error) {
  console.error(explain(error));
  process.exitCode = 1;
} finally {
  await plugin.close();
}
// end of snippet

/** @param {any} error The plugin's error, or the SDK's, such as when a request has no response. */
function explain({ message }) {
  const json = message.split('Plugin-originated error: ')[1];
  if (!json) return `network_error: check auth_url and base_url: ${message}`;
  const { code, message: text } = JSON.parse(json);
  return `${code}: ${text}`;
}
