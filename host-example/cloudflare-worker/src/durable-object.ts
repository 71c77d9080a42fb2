import { DurableObject } from 'cloudflare:workers';
import type { Store } from '../../node/rostering/index.js';

/** A Durable Object for each key of the store: a value that expires. */
export class StoreEntry extends DurableObject {
  get(): string | null {
    return this.#isFresh() ? (this.ctx.storage.kv.get<string>('value') ?? null) : null;
  }

  /** Atomic, because neither the read nor the write is awaited. */
  add(value: string, ttlSeconds: number): boolean {
    if (this.#isFresh()) return false;
    this.set(value, ttlSeconds);
    return true;
  }

  set(value: string, ttlSeconds: number): void {
    const expiresAt = Date.now() + ttlSeconds * 1000;
    this.ctx.storage.kv.put('value', value);
    this.ctx.storage.kv.put('expiresAt', expiresAt);
    void this.ctx.storage.setAlarm(expiresAt);
  }

  /** An expired token is not left behind. */
  override async alarm(): Promise<void> {
    if (!this.#isFresh()) await this.ctx.storage.deleteAll();
  }

  #isFresh(): boolean {
    return Date.now() < (this.ctx.storage.kv.get<number>('expiresAt') ?? 0);
  }
}

/** Shares the token through Durable Objects: among all isolates worldwide, with one token request. */
export class DurableObjectStore implements Store {
  #entries: DurableObjectNamespace<StoreEntry>;

  constructor(entries: DurableObjectNamespace<StoreEntry>) {
    this.#entries = entries;
  }

  async get(key: string): Promise<string | null> {
    return this.#entries.getByName(key).get();
  }

  async add(key: string, value: string, ttlSeconds: number): Promise<boolean> {
    return this.#entries.getByName(key).add(value, ttlSeconds);
  }

  async set(key: string, value: string, ttlSeconds: number): Promise<void> {
    await this.#entries.getByName(key).set(value, ttlSeconds);
  }
}
