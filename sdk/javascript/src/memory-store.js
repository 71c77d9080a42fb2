/** @typedef {import('./store.js').Store} Store */

/** A store for the clients of one process. @implements {Store} */
export class MemoryStore {
  /** @type {Map<string, {value: string, expiresAt: number}>} */
  #entries = new Map();

  /** @param {string} key @returns {Promise<string | null>} */
  async get(key) {
    const entry = this.#entries.get(key);
    return entry && Date.now() < entry.expiresAt ? entry.value : null;
  }

  /** @param {string} key @param {string} value @param {number} ttlSeconds */
  async add(key, value, ttlSeconds) {
    const entry = this.#entries.get(key);
    if (entry && Date.now() < entry.expiresAt) return false;
    await this.set(key, value, ttlSeconds); // sets it before it returns, so the whole is atomic
    return true;
  }

  /** @param {string} key @param {string} value @param {number} ttlSeconds */
  async set(key, value, ttlSeconds) {
    this.#entries.set(key, { value, expiresAt: Date.now() + ttlSeconds * 1000 });
  }
}
