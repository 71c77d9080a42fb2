import { Rostering, RosteringError } from './rostering/index.js';

/** @typedef {import('./rostering/index.js').Config} Config */

const shown = 200; // characters of an answer
const print = console.log;

/**
 * Shows a token, the jobs with it, and an error; on Node, Deno and Bun.
 *
 * @param {BufferSource} wasm
 * @param {Config} config
 */
export async function demo(wasm, config) {
  const client = await Rostering.open(wasm, config);
  try {
    await showToken(client);
    await showJobs('jobs', client);
    await showJobs('jobs again, with the same token', client);
  } finally {
    await client.close();
  }
  await showWrongSecret(wasm, config);
}

/** @param {Rostering} client */
async function showToken(client) {
  const { accessToken, expiresAt } = await client.getToken();
  print(`token: ${accessToken.slice(0, 8)}… (${accessToken.length} characters)`);
  print(`  expires_at: ${expiresAt.toISOString()}`);
}

/**
 * Shows how the service's answer begins. Its shape is the service's business.
 *
 * @param {string} title
 * @param {Rostering} client
 */
async function showJobs(title, client) {
  const body = await client.listJobs();
  const text = new TextDecoder().decode(body).trim();
  print(`${title}: ${body.length} bytes`);
  print(`  ${text.slice(0, shown)}${text.length > shown ? '…' : ''}`);
}

/**
 * @param {BufferSource} wasm
 * @param {Config} config
 */
async function showWrongSecret(wasm, config) {
  print('a wrong client_secret:');
  const client = await Rostering.open(wasm, { ...config, clientSecret: 'not-the-secret' });
  try {
    await client.listJobs();
  } catch (error) {
    if (!(error instanceof RosteringError)) throw error;
    print(explain(error));
    return;
  } finally {
    await client.close();
  }
  throw new Error('the identity provider took a wrong client_secret');
}

/**
 * What an error says, a line for each field.
 *
 * @param {Error} error
 */
export function explain(error) {
  const known = Object.entries(error).filter(([name, value]) => name !== 'name' && value !== undefined);
  const cause = rootCause(error);
  return [['message', error.message], ...known, ...(cause === error ? [] : [['cause', cause]])]
    .map(([field, value]) => `  ${field}: ${value}`)
    .join('\n');
}

/**
 * What fetch throws has a cause as well, which says more.
 *
 * @param {unknown} error
 * @returns {unknown}
 */
function rootCause(error) {
  return error instanceof Error && error.cause ? rootCause(error.cause) : error;
}

/**
 * Reads the config from the environment, and names all that is missing at once.
 *
 * @param {Record<string, string | undefined>} env
 * @returns {Config}
 */
export function readConfig(env) {
  /** @type {string[]} */
  const missing = [];
  const read = (/** @type {string} */ name) => {
    const value = env[name];
    if (!value) missing.push(name);
    return value ?? '';
  };
  const config = {
    authUrl: read('ROSTERING_AUTH_URL'),
    baseUrl: read('ROSTERING_BASE_URL'),
    environment: read('ROSTERING_ENVIRONMENT'),
    clientId: read('ROSTERING_CLIENT_ID'),
    clientSecret: read('ROSTERING_CLIENT_SECRET'),
    customerId: read('ROSTERING_CUSTOMER_ID'),
    userId: read('ROSTERING_USER_ID'),
  };
  if (missing.length > 0) throw new Error(`set ${missing.join(', ')}`);
  return config;
}
