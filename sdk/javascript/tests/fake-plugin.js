/** @typedef {Record<string, (input: any) => unknown>} Exports each returns its output */

/**
 * Makes an instance of a plugin whose exports are those of a test.
 *
 * @param {Exports} exports
 * @returns {import('../src/plugin.js').Plugin}
 */
export const fakePlugin = (exports) => (name, input) =>
  new TextEncoder().encode(JSON.stringify(exports[name]?.(input && JSON.parse(String(input)))));

export const steps = {
  token: (/** @type {unknown} */ flow, url = 'http://127.0.0.1/') => ({
    ...{ step: 'request', for: 'token', flow, timeout: 20, limit: 1000 },
    request: { method: 'POST', url, headers: {} },
  }),
  service: (/** @type {string} */ url) => ({
    ...{ step: 'request', for: 'service', last: true },
    request: { method: 'GET', url, headers: {} },
  }),
  /** 11 days: longer than any test. */
  wait: (/** @type {unknown} */ flow, reason = 'call') => ({ step: 'wait', for: reason, flow, seconds: 1e6 }),
  done: () => ({ step: 'done', output: { access_token: 'a', token_type: 'Bearer', expires_at: 1, cache_key: 'b' } }),
};
