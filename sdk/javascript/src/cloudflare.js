// @ts-check
/**
 * Stores for Cloudflare Workers: a Durable Object or KV.
 *
 * @module
 */

import { DurableObject } from 'cloudflare:workers';
import { checkValue, methods } from './check.js';

/** @typedef {import('./store.js').Store} Store */

/**
 * The Durable Object of one key: a value that expires. Export the class from your Worker, and bind it.
 *
 * @extends {DurableObject<unknown>}
 */
export class StoreEntry extends DurableObject {
  /** Returns the value, or null without one. @returns {string | null} */
  get() {
    return this.#isFresh() ? (this.ctx.storage.kv.get('value') ?? null) : null;
  }

  /**
   * Sets the value unless there is one. It is atomic, because neither the read nor the write is awaited.
   *
   * @param {string} value
   * @param {number} ttlSeconds
   */
  add(value, ttlSeconds) {
    if (this.#isFresh()) return false;
    this.set(value, ttlSeconds);
    return true;
  }

  /** @param {string} value @param {number} ttlSeconds */
  set(value, ttlSeconds) {
    const expiresAt = Date.now() + ttlSeconds * 1000;
    this.ctx.storage.kv.put('value', value);
    this.ctx.storage.kv.put('expiresAt', expiresAt);
    void this.ctx.storage.setAlarm(expiresAt);
  }

  /** Deletes the value once it has expired. @override */
  async alarm() {
    if (!this.#isFresh()) await this.ctx.storage.deleteAll();
  }

  #isFresh() {
    return Date.now() < /** @type {number} */ (this.ctx.storage.kv.get('expiresAt') ?? 0);
  }
}

/**
 * A store in Durable Objects: it shares the token among all isolates worldwide, with one token request.
 *
 * @implements {Store}
 */
export class DurableObjectStore {
  #entries;

  /** @param {DurableObjectNamespace<StoreEntry>} entries */
  constructor(entries) {
    checkValue('DurableObjectStore: the binding', entries, methods('getByName'));
    this.#entries = entries;
  }

  /** @param {string} key @returns {Promise<string | null>} */
  async get(key) {
    return this.#entries.getByName(key).get();
  }

  /** @param {string} key @param {string} value @param {number} ttlSeconds @returns {Promise<boolean>} */
  async add(key, value, ttlSeconds) {
    return this.#entries.getByName(key).add(value, ttlSeconds);
  }

  /** @param {string} key @param {string} value @param {number} ttlSeconds */
  async set(key, value, ttlSeconds) {
    await this.#entries.getByName(key).set(value, ttlSeconds);
  }
}

const shortest = 60; // seconds: KV's minimum for a ttl

/**
 * A store in Cloudflare KV, which has no atomic operations: each isolate may request a token.
 *
 * @implements {Store}
 */
export class KvStore {
  #kv;

  /** @param {KVNamespace} kv */
  constructor(kv) {
    checkValue('KvStore: the binding', kv, methods('get', 'put'));
    this.#kv = kv;
  }

  /** Returns a random `refreshMargin` for the config, so that one isolate renews the token before the others. */
  static randomMargin() {
    return 60 + Math.floor(240 * Math.random());
  }

  /** @param {string} key @returns {Promise<string | null>} */
  get(key) {
    return this.#kv.get(key);
  }

  /** Always succeeds: KV cannot tell whether another isolate was first. */
  async add() {
    return true;
  }

  /** @param {string} key @param {string} value @param {number} ttlSeconds */
  async set(key, value, ttlSeconds) {
    if (ttlSeconds >= shortest) await this.#kv.put(key, value, { expirationTtl: ttlSeconds });
  }
}
