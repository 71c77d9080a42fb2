// @ts-check
/**
 * Stores for Cloudflare Workers: a Durable Object or KV.
 *
 * @module
 */

import { DurableObject } from 'cloudflare:workers';

/** @typedef {import('./store.js').Store} Store */

/**
 * A Durable Object for each key of the store: a value that expires. Export the class from your Worker, and bind it.
 *
 * @extends {DurableObject<unknown>}
 */
export class StoreEntry extends DurableObject {
  /** @returns {string | null} */
  get() {
    return this.#isFresh() ? (this.ctx.storage.kv.get('value') ?? null) : null;
  }

  /**
   * Atomic, because neither the read nor the write is awaited.
   *
   * @param {string} value
   * @param {number} ttlSeconds
   */
  add(value, ttlSeconds) {
    if (this.#isFresh()) return false;
    this.set(value, ttlSeconds);
    return true;
  }

  /**
   * @param {string} value
   * @param {number} ttlSeconds
   */
  set(value, ttlSeconds) {
    const expiresAt = Date.now() + ttlSeconds * 1000;
    this.ctx.storage.kv.put('value', value);
    this.ctx.storage.kv.put('expiresAt', expiresAt);
    void this.ctx.storage.setAlarm(expiresAt);
  }

  /**
   * An expired token is not left behind.
   *
   * @override
   */
  async alarm() {
    if (!this.#isFresh()) await this.ctx.storage.deleteAll();
  }

  #isFresh() {
    return Date.now() < /** @type {number} */ (this.ctx.storage.kv.get('expiresAt') ?? 0);
  }
}

/**
 * Shares the token through Durable Objects: among all isolates worldwide, with one token request.
 *
 * @implements {Store}
 */
export class DurableObjectStore {
  #entries;

  /** @param {DurableObjectNamespace<StoreEntry>} entries */
  constructor(entries) {
    this.#entries = entries;
  }

  /**
   * @param {string} key
   * @returns {Promise<string | null>}
   */
  async get(key) {
    return this.#entries.getByName(key).get();
  }

  /**
   * @param {string} key
   * @param {string} value
   * @param {number} ttlSeconds
   * @returns {Promise<boolean>}
   */
  async add(key, value, ttlSeconds) {
    return this.#entries.getByName(key).add(value, ttlSeconds);
  }

  /**
   * @param {string} key
   * @param {string} value
   * @param {number} ttlSeconds
   */
  async set(key, value, ttlSeconds) {
    await this.#entries.getByName(key).set(value, ttlSeconds);
  }
}

const shortest = 60; // seconds: KV's minimum for an expiry

/**
 * Shares the token through Cloudflare KV. KV has no atomic operations, so each isolate may request a token, and a
 * random margin makes one of them the first.
 *
 * @implements {Store}
 */
export class KvStore {
  #kv;

  /** @param {KVNamespace} kv */
  constructor(kv) {
    this.#kv = kv;
  }

  /**
   * For the config: how many seconds before its expiry an isolate renews a token, unless it finds a newer one. The first
   * isolate renews it, and the others find the new one.
   */
  static randomMargin() {
    return 60 + Math.floor(240 * Math.random());
  }

  /**
   * @param {string} key
   * @returns {Promise<string | null>}
   */
  get(key) {
    return this.#kv.get(key);
  }

  /** KV cannot tell whether another isolate was first. */
  async add() {
    return true;
  }

  /**
   * @param {string} key
   * @param {string} value
   * @param {number} ttlSeconds
   */
  async set(key, value, ttlSeconds) {
    if (ttlSeconds >= shortest) await this.#kv.put(key, value, { expirationTtl: ttlSeconds });
  }
}
