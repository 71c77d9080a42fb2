import { contract } from '../src/index.js';

/** @typedef {Record<string, (input: any) => unknown>} Exports each returns its output, or a promise of that */

/**
 * Makes an instance of a plugin, as the SDK does, whose exports are those of a test.
 *
 * @param {Exports} exports
 */
export function fakePlugin(exports) {
  /** @type {Exports} */
  const all = { version: () => ({ version: '9.0.0', contract }), check: () => undefined, ...exports };
  return {
    closed: 0,
    async call(/** @type {string} */ name, /** @type {string | Uint8Array} */ input) {
      const output = await all[name]?.(input && JSON.parse(String(input)));
      return output === undefined ? null : { bytes: () => new TextEncoder().encode(JSON.stringify(output)) };
    },
    async reset() {},
    async close() {
      this.closed++;
    },
  };
}

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
