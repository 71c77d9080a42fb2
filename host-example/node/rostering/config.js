/**
 * Whose jobs to list, and where. The plugin judges it when it is first used; a RosteringError then
 * names the key at fault.
 *
 * @typedef {object} Config
 * @property {string} authUrl Where the identity provider lives: https, or http on loopback.
 * @property {string} [baseUrl] Where the service lives; not needed for getToken. The hosts of the
 *   two are the only ones that the plugin may call.
 * @property {string} clientId
 * @property {string} clientSecret
 * @property {string} [environment] `stage` or `production`. May be left out if `scope` is set.
 * @property {string} [scope] Replaces the environment's scope.
 * @property {string} [customerId] Sent with each request, unless listJobs is told otherwise.
 * @property {string} [userId] The same.
 * @property {number} [refreshMargin] How many whole seconds before its expiry a token is renewed;
 *   the plugin's default is 60. At most half of the lifetime is used.
 * @property {boolean} [allowHttp] Permits http beyond loopback, where anyone on the way can read
 *   the secret.
 */

/**
 * The config as the plugin reads it. It takes an empty value for a missing one.
 *
 * @param {Config} config
 * @returns {Record<string, string>}
 */
export function pluginConfig(config) {
  const all = {
    environment: config.environment,
    auth_url: config.authUrl,
    base_url: config.baseUrl,
    client_id: config.clientId,
    client_secret: config.clientSecret,
    customer_id: config.customerId,
    user_id: config.userId,
    scope: config.scope,
    refresh_margin: config.refreshMargin,
    allow_http: config.allowHttp,
  };
  /** @type {Record<string, string>} */
  const set = {};
  for (const [key, value] of Object.entries(all)) {
    // The SDK takes a number for an address in its memory.
    if (value != null) set[key] = String(value);
  }
  return set;
}

/**
 * The hosts that the plugin may call. A URL that does not parse adds none: the plugin says what is
 * wrong with it.
 *
 * @param {Config} config
 * @returns {string[]}
 */
export function allowedHosts({ authUrl, baseUrl }) {
  return [authUrl, baseUrl].flatMap((url) => (url && URL.canParse(url) ? [new URL(url).hostname] : []));
}
