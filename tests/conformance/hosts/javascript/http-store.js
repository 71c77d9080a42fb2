/**
 * Makes a store of the one that the tests serve at a URL: see tests/conformance/protocol/protocol.go.
 *
 * @param {string} url
 * @returns {import('../../../../sdk/javascript/src/index.js').Store}
 */
export function httpStore(url) {
  const post = async (/** @type {object} */ operation) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(operation) });
    if (response.status !== 200) throw new Error(`the store responded with ${response.status}`);
    return response.json();
  };
  return {
    get: async (key) => (await post({ op: 'get', key })).value,
    add: async (key, value, ttl) => (await post({ op: 'add', key, value, ttl })).added,
    set: (key, value, ttl) => post({ op: 'set', key, value, ttl }),
  };
}
