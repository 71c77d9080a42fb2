/**
 * Where several clients share one token: in a process, on a machine or in a fleet. Anyone who can read it has the token;
 * anyone who can write it chooses the token that is sent. When a method throws, or takes longer than a second, the call
 * continues without the store, and once a minute the logger has a warning.
 *
 * @typedef {object} Store
 * @property {(key: string) => Promise<string | null>} get The value, or null if it is missing or has expired.
 * @property {(key: string, value: string, ttlSeconds: number) => Promise<boolean>} add Sets the value only if it is
 *   missing, atomically; false if it was there.
 * @property {(key: string, value: string, ttlSeconds: number) => Promise<void>} set Sets the value, until it expires.
 */

export {};
