/**
 * Where several clients share one token: in a process, on a machine or in a fleet. Who can write it chooses which
 * token of this client is sent, and who can read it has the token. A method that throws or takes longer than a second
 * costs nothing but the sharing: that call goes on without the store.
 *
 * @typedef {object} Store
 * @property {(key: string) => Promise<string | null>} get The value, or null if there is none or it has expired.
 * @property {(key: string, value: string, ttlSeconds: number) => Promise<boolean>} add Sets the value only if there is
 *   none, atomically; false if there was one.
 * @property {(key: string, value: string, ttlSeconds: number) => Promise<void>} set Sets the value, until it expires.
 */

export {};
