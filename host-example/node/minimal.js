// Direct calls: the SDK alone, without the client library. The plugin sends the requests through the SDK, and has no clock.
// It runs unchanged on Deno and Bun. With the argument `call`, it calls exports as its standard input says.

import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline';
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

if (process.argv[2] === 'call') {
  await serve();
  process.exit(); // an instance that was not closed may have a worker
}

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

/** Reads requests, a JSON object in each line, and responds to each in order. */
async function serve() {
  const plugins = new Map();
  let logs = /** @type {{level: string, line: string}[]} */ ([]);
  const at = (/** @type {string} */ level) => (/** @type {string} */ line) => void logs.push({ level, line });
  const logger = { ...console, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  /** @type {any} */
  const operations = {
    versions: async () => ({ versions: await versions() }),
    async create(/** @type {any} */ { instance, wasm, wasi = false, config = {}, allowed_hosts: allowedHosts = [] }) {
      const runInWorker = allowedHosts.length > 0 && !('Suspending' in WebAssembly);
      const own = { logger, logLevel: /** @type {const} */ ('debug'), ...(runInWorker && { fetch: answerFailures }) };
      plugins.set(instance, await createPlugin(wasm, { useWasi: wasi, config, allowedHosts, runInWorker, ...own }));
    },
    async call(/** @type {any} */ { instance, export: name, input = '' }) {
      const output = await plugins.get(instance).call(name, new Uint8Array(Buffer.from(input, 'base64')));
      return { output: Buffer.from(output?.bytes() ?? []).toString('base64') };
    },
    async close(/** @type {any} */ { instance }) {
      await plugins.get(instance).close();
      plugins.delete(instance);
    },
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, op, ...request } = JSON.parse(line);
    logs = [];
    const run = async () => operations[op](request);
    const response = await run().catch(({ message }) => {
      const [, error] = message.split('Plugin-originated error: ');
      return error ? { error } : { trap: message };
    });
    console.log(JSON.stringify({ id, ...response, logs }));
  }
}

/**
 * A fetch that never throws: in a worker, the call after one in which fetch throws would hang. Status 0 tells the plugin
 * that there was no response.
 *
 * @param {any} url
 * @param {RequestInit} [init]
 * @returns {Promise<any>}
 */
async function answerFailures(url, init) {
  try {
    const { status, headers, body } = await fetch(url, init);
    const whole = await new Response(body).arrayBuffer(); // so that the SDK never sees one that breaks off
    return { status, headers, arrayBuffer: async () => whole };
  } catch {
    return Response.error();
  }
}

async function versions() {
  const { deno, bun, node, undici } = /** @type {Record<string, string>} */ (process.versions);
  const runtime = bun ? `Bun ${bun}` : `Node ${node}, undici ${undici}`;
  const { dependencies } = JSON.parse(await readFile(new URL('package.json', import.meta.url), 'utf8'));
  return `${deno ? `Deno ${deno}` : runtime}, extism ${dependencies.extism}`;
}
