// Direct calls: the SDK alone, without the client library. The plugin sends the requests through the SDK, and has no clock.
// It runs unchanged on Deno and Bun.

import process from 'node:process';
import { fileURLToPath } from 'node:url';
import createPlugin from 'extism';

const wasm = fileURLToPath(new URL('../../plugin/rostering-nowasi.wasm', import.meta.url));
const keys = ['auth_url', 'base_url', 'environment', 'client_id', 'client_secret', 'customer_id', 'user_id'];
const config = Object.fromEntries(keys.map((key) => [key, process.env[`ROSTERING_${key.toUpperCase()}`] ?? '']));
const urls = [config.auth_url ?? '', config.base_url ?? ''].filter((url) => URL.canParse(url));

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
  // The plugin's error is a JSON object; the SDK's is any text, such as when a request has no response.
  console.error(String(error).replace('Error: Plugin-originated error: ', ''));
  process.exitCode = 1;
} finally {
  await plugin.close();
}
// end of snippet
