import { kind } from './check.js';

/** @typedef {import('./store.js').Store} Store */

/**
 * The part of npm's `redis` (version 5 or newer) that the store needs. A client, a pool and a cluster have it.
 *
 * @typedef {object} RedisClient
 * @property {(key: string) => Promise<string | null>} get
 * @property {(key: string, value: string, options: SetOptions) => Promise<unknown>} set
 */

/** @typedef {{expiration: {type: 'PX', value: number}, condition?: 'NX'}} SetOptions */

/**
 * A store in Redis, for a fleet, through a client that you create, connect and close. Set its option
 * `disableOfflineQueue`: otherwise it queues commands while it is disconnected, and sends them much later.
 *
 * @implements {Store}
 */
export class RedisStore {
  #client;

  /** @param {RedisClient} client */
  constructor(client) {
    // ioredis and older versions have no withTypeMapping, and take other options.
    const isRedis = typeof (/** @type {any} */ (client)?.withTypeMapping) === 'function';
    if (!isRedis)
      throw new TypeError(`RedisStore takes a client of npm's redis, version 5 or newer, not ${kind(client)}`);
    this.#client = client;
  }

  /** @param {string} key */
  get(key) {
    return this.#client.get(key);
  }

  /** @param {string} key @param {string} value @param {number} ttlSeconds */
  async add(key, value, ttlSeconds) {
    const options = /** @type {SetOptions} */ ({ ...expiry(ttlSeconds), condition: 'NX' });
    return (await this.#client.set(key, value, options)) !== null;
  }

  /** @param {string} key @param {string} value @param {number} ttlSeconds */
  async set(key, value, ttlSeconds) {
    await this.#client.set(key, value, expiry(ttlSeconds));
  }
}

/** @param {number} seconds @returns {SetOptions} */
const expiry = (seconds) => ({ expiration: { type: 'PX', value: Math.ceil(seconds * 1000) } });
