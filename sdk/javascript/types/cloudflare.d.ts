import { DurableObject } from 'cloudflare:workers';

/**
 * A place where several clients share one token. Anyone who can read it has the token. If a method throws or takes longer than
 * a second, the call continues without the store.
 */
type Store$1 = {
    /**
     * Returns the value, or null if it is missing or has expired.
     */
    get: (key: string) => Promise<string | null>;
    /**
     * Sets the value if the key has none,
     * atomically. Returns whether it did.
     */
    add: (key: string, value: string, ttlSeconds: number) => Promise<boolean>;
    /**
     * Sets the value.
     */
    set: (key: string, value: string, ttlSeconds: number) => Promise<void>;
};

/** @typedef {import('./store.js').Store} Store */
/**
 * The Durable Object of one key: a value that expires. Export the class from your Worker, and bind it.
 *
 * @extends {DurableObject<unknown>}
 */
declare class StoreEntry extends DurableObject<unknown, any> {
    constructor(ctx: DurableObjectState, env: unknown);
    /** Returns the value, or null without one. @returns {string | null} */
    get(): string | null;
    /**
     * Sets the value unless there is one. It is atomic, because neither the read nor the write is awaited.
     *
     * @param {string} value
     * @param {number} ttlSeconds
     */
    add(value: string, ttlSeconds: number): boolean;
    /** @param {string} value @param {number} ttlSeconds */
    set(value: string, ttlSeconds: number): void;
    /** Deletes the value once it has expired. @override */
    override alarm(): Promise<void>;
    #private;
}
/**
 * A store in Durable Objects: it shares the token among all isolates worldwide, with one token request.
 *
 * @implements {Store}
 */
declare class DurableObjectStore implements Store {
    /** @param {DurableObjectNamespace<StoreEntry>} entries */
    constructor(entries: DurableObjectNamespace<StoreEntry>);
    /** @param {string} key @returns {Promise<string | null>} */
    get(key: string): Promise<string | null>;
    /** @param {string} key @param {string} value @param {number} ttlSeconds @returns {Promise<boolean>} */
    add(key: string, value: string, ttlSeconds: number): Promise<boolean>;
    /** @param {string} key @param {string} value @param {number} ttlSeconds */
    set(key: string, value: string, ttlSeconds: number): Promise<void>;
    #private;
}
/**
 * A store in Cloudflare KV, which has no atomic operations: each isolate may request a token.
 *
 * @implements {Store}
 */
declare class KvStore implements Store {
    /** Returns a random `refreshMargin` for the config, so that one isolate renews the token before the others. */
    static randomMargin(): number;
    /** @param {KVNamespace} kv */
    constructor(kv: KVNamespace);
    /** @param {string} key @returns {Promise<string | null>} */
    get(key: string): Promise<string | null>;
    /** Always succeeds: KV cannot tell whether another isolate was first. */
    add(): Promise<boolean>;
    /** @param {string} key @param {string} value @param {number} ttlSeconds */
    set(key: string, value: string, ttlSeconds: number): Promise<void>;
    #private;
}
type Store = Store$1;

export { DurableObjectStore, KvStore, StoreEntry };
export type { Store };
