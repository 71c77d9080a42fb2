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
declare class RedisStore implements Store {
    /** @param {RedisClient} client */
    constructor(client: RedisClient);
    /** @param {string} key */
    get(key: string): Promise<string | null>;
    /** @param {string} key @param {string} value @param {number} ttlSeconds */
    add(key: string, value: string, ttlSeconds: number): Promise<boolean>;
    /** @param {string} key @param {string} value @param {number} ttlSeconds */
    set(key: string, value: string, ttlSeconds: number): Promise<void>;
    #private;
}
type Store = Store$1;
/**
 * The part of npm's `redis` (version 5 or newer) that the store needs. A client, a pool and a cluster have it.
 */
type RedisClient = {
    get: (key: string) => Promise<string | null>;
    set: (key: string, value: string, options: SetOptions) => Promise<unknown>;
};
type SetOptions = {
    expiration: {
        type: "PX";
        value: number;
    };
    condition?: "NX";
};

export { RedisStore };
export type { RedisClient, SetOptions, Store };
