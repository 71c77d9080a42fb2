import { check, flag, number, text } from './check.js';

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
 * Reads a variable. An invalid number or flag stays a string, which the plugin names together with all else that is invalid.
 *
 * @param {string} field @param {string} value
 */
function read(field, value) {
  if (field === 'refreshMargin') return /^\d+$/.test(value) ? Number(value) : value;
  if (field === 'allowHttp') return { true: true, false: false }[value] ?? value;
  return value;
}

/** @param {string} field @param {import('./check.js').Rule} rule */
const orInvalid = (field, rule) => (/** @type {unknown} */ value) =>
  typeof value === 'string' && read(field, value) === value ? undefined : rule(value);

/** @type {import('./check.js').Rules} */
const rules = {
  ...{ environment: text, authUrl: text, baseUrl: text, clientId: text, clientSecret: text },
  ...{ customerId: text, userId: text, scope: text },
  ...{ refreshMargin: orInvalid('refreshMargin', number), allowHttp: orInvalid('allowHttp', flag) },
};

/** @param {string} field */
const snakeCase = (field) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The names of the fields, by those of the contract. */
export const fieldsByKey = new Map(Object.keys(rules).map((field) => [snakeCase(field), field]));

/**
 * Reads a config from environment variables: `authUrl` from `ROSTERING_AUTH_URL`, and so on. An empty variable counts as
 * missing. Opening a client validates the values. `console.log` of the config hides the secret.
 *
 * @param {object} [env] default: `process.env`. In a Worker, pass its `env`.
 * @returns {Config}
 */
export function configFromEnv(env = globalThis.process?.env) {
  if (!env) throw new TypeError('there is no process.env: pass the variables, such as the env of a Worker');
  /** @type {Record<string, unknown>} */
  const config = {};
  for (const [key, field] of fieldsByKey) {
    const value = /** @type {any} */ (env)[`ROSTERING_${key.toUpperCase()}`];
    if (typeof value === 'string' && value !== '') config[field] = read(field, value);
  }
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
  check('the config', config, rules);
  const set = Object.entries(config).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set.map(([key, value]) => [snakeCase(key), String(value)]));
}
