/** @type {Record<string, string>} */
const scopes = { stage: 'automatic-rostering-stage', production: 'automatic-rostering-prod' };

/**
 * The `cacheKey` that the tokens of a config have, without asking for one: a process that has just
 * started needs it to look for a token. One above 512 characters is whole here, but cut in the token.
 *
 * @param {import('./config.js').Config} config
 * @returns {string}
 */
export function cacheKey({ authUrl, clientId, scope, environment }) {
  const tokenUrl = `${authUrl.replace(/\/+$/, '')}/connect/token`;
  const parts = [tokenUrl, clientId, scope || (scopes[environment ?? ''] ?? '')];
  return ['rostering', ...parts.map(formEscape)].join(':');
}

/** @param {string} text */
function formEscape(text) {
  const rest = (/** @type {string} */ char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, rest);
}
