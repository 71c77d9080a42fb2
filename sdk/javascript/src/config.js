import { check } from './check.js';
import { configRules, fieldsByKey, read, snakeCase } from './rules.js';
import { secretFrom } from './secret-file.js';

/**
 * The service, the client and the customer. It is validated when a client opens: a RosteringError then names the field.
 *
 * @typedef {object} Config
 * @property {string} authUrl The identity provider: https, or http on loopback.
 * @property {string} [baseUrl] The service; not needed for getToken.
 * @property {string} clientId
 * @property {string} clientSecret
 * @property {Environment} [environment] Selects the scope; required unless `scope` is set.
 * @property {string} [scope] Overrides the environment's scope.
 * @property {string} [customerId] Sent with each request, unless the call has another one.
 * @property {string} [userId] Sent with each request, unless the call has another one.
 * @property {number} [refreshMargin] Renew the token this many whole seconds before it expires (default: 60), but at most
 *   half of its lifetime before.
 * @property {boolean} [allowHttp] Permits http beyond loopback, where others can read the secret.
 */

/** @typedef {'stage' | 'production'} Environment */

/**
 * Reads a config from environment variables: `authUrl` from `ROSTERING_AUTH_URL`, and so on. An empty variable counts as
 * missing. Opening a client validates the values. In place of the secret, `ROSTERING_CLIENT_SECRET_FILE` may name a file that
 * has it; a RosteringError says what is wrong with that. `console.log` of the config hides the secret.
 *
 * @param {object} [env] default: `process.env`. In a Worker, pass its `env`.
 * @returns {Config}
 */
export function configFromEnv(env = globalThis.process?.env) {
  if (!env) throw new TypeError('there is no process.env: pass the variables, such as the env of a Worker');
  /** @type {Record<string, unknown>} */
  const config = {};
  const variables = /** @type {Record<string, unknown>} */ (env);
  for (const [key, field] of fieldsByKey) {
    const value = variables[`ROSTERING_${key.toUpperCase()}`];
    if (typeof value === 'string' && value !== '') config[field] = read(field, value);
  }
  const secret = secretFrom(variables);
  if (secret !== undefined) config.clientSecret = secret;
  Object.defineProperty(config, Symbol.for('nodejs.util.inspect.custom'), {
    value: () => ({ ...config, clientSecret: config.clientSecret && '[hidden]' }),
  });
  return /** @type {any} */ (config);
}

/**
 * Returns the config as the plugin reads it: `authUrl` becomes `auth_url`, and all values are strings.
 *
 * @param {Config} config
 * @returns {Record<string, string>}
 */
export function pluginConfig(config) {
  check('the config', config, configRules);
  const set = Object.entries(config).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([key, value]) => [snakeCase(key), String(value)]));
}
