// Shows the Worker at work; README.md tells what to set in the environment.

import { startWorker } from './local/worker.js';

const shown = 200; // characters of an answer
const print = console.log;

const names = ['AUTH_URL', 'BASE_URL', 'ENVIRONMENT', 'CLIENT_ID', 'CLIENT_SECRET', 'CUSTOMER_ID', 'USER_ID'];

try {
  const bindings = readBindings(process.env);
  await withWorker(bindings, async (url) => {
    await showJobs('jobs', url);
    await showJobs('jobs again, with the same token', url);
  });
  await withWorker({ ...bindings, ROSTERING_CLIENT_SECRET: 'not-the-secret' }, showWrongSecret);
} catch (error) {
  console.error(`failed: ${error}`);
  process.exitCode = 1;
}

/**
 * The Worker's variables and secret, from the environment. The error names all missing variables.
 *
 * @param {Record<string, string | undefined>} env
 */
function readBindings(env) {
  const bindings = Object.fromEntries(names.map((name) => [`ROSTERING_${name}`, env[`ROSTERING_${name}`] ?? '']));
  const missing = Object.keys(bindings).filter((name) => !bindings[name]);
  if (missing.length > 0) throw new Error(`set ${missing.join(', ')}`);
  return bindings;
}

/**
 * @param {Record<string, string>} bindings
 * @param {(url: URL) => Promise<void>} use
 */
async function withWorker(bindings, use) {
  const wasm = process.env.ROSTERING_WASM || undefined;
  const worker = await startWorker('src/index.ts', { bindings, wasm, stores: ['durable-object'] });
  try {
    await use(worker.url);
  } finally {
    await worker.end();
  }
}

/**
 * Shows the beginning of the service's answer, whose format is up to the service.
 *
 * @param {string} title
 * @param {URL} url
 */
async function showJobs(title, url) {
  const answer = await fetch(new URL('/jobs', url));
  const body = await answer.arrayBuffer();
  const text = new TextDecoder().decode(body).trim();
  if (!answer.ok) throw new Error(text);
  print(`${title}: ${body.byteLength} bytes`);
  print(`  ${text.slice(0, shown)}${text.length > shown ? '…' : ''}`);
}

/** @param {URL} url */
async function showWrongSecret(url) {
  print('a wrong client_secret:');
  const answer = await fetch(new URL('/jobs', url));
  if (answer.ok) throw new Error('the identity provider accepted a wrong client_secret');
  const fields = /** @type {object} */ (await answer.json());
  for (const [field, value] of Object.entries(fields)) print(`  ${field}: ${value}`);
}
