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

/**
 * A store for the processes of one machine, in any of the languages: a folder that only its owner can read.
 *
 * @implements {Store}
 */
declare class FileStore implements Store {
    /** @param {string} folder created if missing @throws {Error} if it cannot be created or written */
    constructor(folder: string);
    /** @param {string} key @returns {Promise<string | null>} */
    get(key: string): Promise<string | null>;
    /** @param {string} key @param {string} value @param {number} ttlSeconds */
    add(key: string, value: string, ttlSeconds: number): Promise<boolean>;
    /** @param {string} key @param {string} value @param {number} ttlSeconds */
    set(key: string, value: string, ttlSeconds: number): Promise<void>;
    #private;
}
type Store = Store$1;

export { FileStore };
export type { Store };
