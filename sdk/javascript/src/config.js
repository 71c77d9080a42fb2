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

/**
 * The config as the plugin reads it: `authUrl` becomes `auth_url`. An SDK would take a number for an address in its
 * memory, so all values are text; an empty one counts as missing, and one SDK fails over it.
 *
 * @param {Config} config
 * @returns {Record<string, string>}
 */
export function pluginConfig(config) {
  const set = Object.entries(config).filter(([, value]) => value != null && value !== '');
  return Object.fromEntries(set.map(([key, value]) => [snakeCase(key), String(value)]));
}

/** @param {string} key */
const snakeCase = (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
