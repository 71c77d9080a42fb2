// The logger and the store of the options: no call fails because one of them does.

import { checkValue, flag, textOrNull } from './check.js';

/** @typedef {import('./options.js').Logger} Logger */

/** Makes a logger that does not throw. @param {Logger} logger @returns {Logger} */
export function guardedLogger(logger) {
  const log = (/** @type {keyof Logger} */ level) => async (/** @type {string} */ line) => {
    try {
      await logger[level](line);
    } catch {
      // There is nowhere to report it.
    }
  };
  return { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') };
}

/**
 * @typedef {{step: 'store', flow: unknown, timeout: number, op: 'get' | 'add' | 'set', key: string, value: string,
 *   ttl: number}} StoreStep
 */

const mostValue = 64 * 1024; // bytes; a token object is shorter
const encoder = new TextEncoder();

/**
 * Carries out a step of a store.
 *
 * @param {import('./store.js').Store} store
 * @param {StoreStep} step
 * @returns {Promise<object>} what resume takes
 */
export async function useStore(store, { op, key, value, ttl }) {
  if (op === 'get') {
    const found = (await store.get(key)) ?? null;
    checkValue('the value', found, textOrNull);
    if (found !== null && (found.length > mostValue || encoder.encode(found).length > mostValue))
      throw new Error('the value has more than 64 KiB');
    return { value: found };
  }
  if (op === 'add') {
    const added = await store.add(key, value, ttl);
    checkValue('the result', added, flag);
    return { added };
  }
  await store.set(key, value, ttl);
  return {};
}
