/**
 * A place where several clients share one token. Anyone who can read it has the token. If a method throws or takes longer than
 * a second, the call continues without the store.
 *
 * @typedef {object} Store
 * @property {(key: string) => Promise<string | null>} get Returns the value, or null if it is missing or has expired.
 * @property {(key: string, value: string, ttlSeconds: number) => Promise<boolean>} add Sets the value if the key has none,
 *   atomically. Returns whether it did.
 * @property {(key: string, value: string, ttlSeconds: number) => Promise<void>} set Sets the value.
 */

export {};
