import { Rostering, RosteringError } from './rostering/index.js';

/** @typedef {import('./rostering/index.js').Config} Config */

const shown = 200; // characters of an answer
const print = console.log;

/**
 * Shows a token, the jobs with it, and an error; on Node, Deno and Bun.
 *
 * @param {Config} config
 * @param {string} [plugin] the path of another build
 */
export async function demo(config, plugin) {
  const options = plugin ? { plugin } : {};
  const client = await Rostering.open(config, options);
  try {
    await showToken(client);
    await showJobs('jobs', client);
    await showJobs('jobs again, with the same token', client);
  } finally {
    await client.close();
  }
  await showWrongSecret(config, options);
}

/** @param {Rostering} client */
async function showToken(client) {
  const { accessToken, expiresAt } = await client.getToken();
  print(`token: ${accessToken.slice(0, 8)}… (${accessToken.length} characters)`);
  print(`  expires_at: ${expiresAt.toISOString()}`);
}

/**
 * Shows the beginning of the service's answer, whose format is up to the service.
 *
 * @param {string} title
 * @param {Rostering} client
 */
async function showJobs(title, client) {
  const response = await client.listJobs();
  const text = (await response.text()).trim();
  print(`${title}: ${response.status}, ${text.length} characters`);
  print(`  ${text.slice(0, shown)}${text.length > shown ? '…' : ''}`);
}

/**
 * @param {Config} config
 * @param {import('./rostering/index.js').Options} options
 */
async function showWrongSecret(config, options) {
  print('a wrong client_secret:');
  const client = await Rostering.open({ ...config, clientSecret: 'not-the-secret' }, options);
  try {
    await client.listJobs();
  } catch (error) {
    if (!(error instanceof RosteringError)) throw error;
    print(explain(error));
    return;
  } finally {
    await client.close();
  }
  throw new Error('the identity provider accepted a wrong client_secret');
}

/**
 * The fields of an error, one on each line.
 *
 * @param {RosteringError} error
 */
export function explain(error) {
  const cause = rootCause(error);
  const fields = { ...error.toJSON(), ...(cause !== error && { cause }) };
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `  ${field}: ${value}`)
    .join('\n');
}

/**
 * The error that fetch throws has a cause, which says more.
 *
 * @param {unknown} error
 * @returns {unknown}
 */
function rootCause(error) {
  return error instanceof Error && error.cause ? rootCause(error.cause) : error;
}

/**
 * Reads the config from the environment. The error names all missing variables.
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
    environment: /** @type {Config['environment']} */ (read('ROSTERING_ENVIRONMENT')), // the plugin validates it
    clientId: read('ROSTERING_CLIENT_ID'),
    clientSecret: read('ROSTERING_CLIENT_SECRET'),
    customerId: read('ROSTERING_CUSTOMER_ID'),
    userId: read('ROSTERING_USER_ID'),
  };
  if (missing.length > 0) throw new Error(`set ${missing.join(', ')}`);
  return config;
}
