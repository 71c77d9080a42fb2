import type { Store } from '../../node/rostering/index.js';

const shortest = 60; // seconds: KV's minimum for an expiry

/**
 * Shares the token through Cloudflare KV. KV has no atomic operations, so each isolate may request a token, and a
 * random margin makes one of them the first.
 */
export class KvStore implements Store {
  #kv: KVNamespace;

  constructor(kv: KVNamespace) {
    this.#kv = kv;
  }

  /**
   * For the config: how many seconds before its expiry an isolate renews a token, unless it finds a newer one. The first
   * isolate renews it, and the others find the new one.
   */
  static randomMargin(): number {
    return 60 + Math.floor(240 * Math.random());
  }

  get(key: string): Promise<string | null> {
    return this.#kv.get(key);
  }

  add(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    if (ttlSeconds >= shortest) await this.#kv.put(key, value, { expirationTtl: ttlSeconds });
  }
}
