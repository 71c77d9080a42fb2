import { check, flag, number, text } from './check.js';
import { RosteringError } from './error.js';

/**
 * Whose jobs to list, and where. The plugin validates it when the client is opened; a RosteringError then names the key
 * at fault, as the plugin spells it.
 *
 * @typedef {object} Config
 * @property {string} authUrl The identity provider: https, or http on loopback.
 * @property {string} [baseUrl] The service; not needed for getToken.
 * @property {string} clientId
 * @property {string} clientSecret
 * @property {Environment} [environment] May be left out if `scope` is set.
 * @property {string} [scope] Overrides the environment's scope.
 * @property {string} [customerId] Sent with each request, unless the call says otherwise.
 * @property {string} [userId] The same.
 * @property {number} [refreshMargin] The margin: how many whole seconds before its expiry a token is renewed. The
 *   default is 60; at most half of the lifetime is used.
 * @property {boolean} [allowHttp] Permits http beyond loopback, where anyone on the way can read the secret.
 */

/** @typedef {'stage' | 'production'} Environment */

const variables = /** @type {const} */ ({
  environment: 'ROSTERING_ENVIRONMENT',
  authUrl: 'ROSTERING_AUTH_URL',
  baseUrl: 'ROSTERING_BASE_URL',
  clientId: 'ROSTERING_CLIENT_ID',
  clientSecret: 'ROSTERING_CLIENT_SECRET',
  customerId: 'ROSTERING_CUSTOMER_ID',
  userId: 'ROSTERING_USER_ID',
  scope: 'ROSTERING_SCOPE',
  refreshMargin: 'ROSTERING_REFRESH_MARGIN',
  allowHttp: 'ROSTERING_ALLOW_HTTP',
});

/**
 * Reads the config from environment variables: `ROSTERING_AUTH_URL` becomes `authUrl`, and so on. An empty variable
 * counts as missing.
 *
 * @param {Record<string, unknown>} [env] default: `process.env`. In a Worker, pass its `env`.
 * @returns {Config}
 * @throws {RosteringError} `config_invalid` if the margin is not a number, or `ROSTERING_ALLOW_HTTP` not true or false
 */
export function configFromEnv(env = globalThis.process?.env) {
  if (!env) throw new TypeError('there is no process.env: pass the variables, such as the env of a Worker');
  /** @type {Record<string, unknown>} */
  const config = {};
  for (const [key, variable] of Object.entries(variables)) {
    const value = env[variable];
    if (typeof value === 'string' && value !== '') config[key] = parsers[key]?.(value) ?? value;
  }
  return /** @type {any} */ (config);
}

/** @type {Record<string, (text: string) => unknown>} */
const parsers = {
  refreshMargin(text) {
    if (/^\d+$/.test(text)) return Number(text);
    throw invalid('refresh_margin', `${variables.refreshMargin} must be a number of whole seconds`);
  },
  allowHttp(text) {
    if (text === 'true' || text === 'false') return text === 'true';
    throw invalid('allow_http', `${variables.allowHttp} must be true or false`);
  },
};

/**
 * @param {string} key
 * @param {string} message
 */
const invalid = (key, message) => new RosteringError({ code: 'config_invalid', message, retryable: false, key });

/** @type {import('./check.js').Rules} */
const rules = Object.fromEntries(Object.keys(variables).map((key) => [key, text]));
Object.assign(rules, { refreshMargin: number, allowHttp: flag });

/**
 * The config as the plugin reads it: `authUrl` becomes `auth_url`. An SDK would take a number for an address in its
 * memory, so all values are text.
 *
 * @param {Config} config
 * @returns {Record<string, string>}
 */
export function pluginConfig(config) {
  check('the config', config, rules);
  const set = Object.entries(config).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([key, value]) => [snakeCase(key), String(value)]));
}

/** @param {string} key */
const snakeCase = (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
