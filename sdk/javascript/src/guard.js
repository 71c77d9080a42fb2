// The logger and the store of the options: no call fails because one of them does.

import { unlessAborted, within } from './deadline.js';

/** @typedef {import('./options.js').Logger} Logger */

/**
 * Makes a logger that does not throw.
 *
 * @param {Logger} logger
 * @returns {Logger}
 */
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

const quiet = 60_000; // ms between warnings

/** A store whose failures fail no call. */
export class GuardedStore {
  #store;
  #logger;
  #warned = -quiet;

  /** @param {import('./store.js').Store} store @param {Pick<import('./options.js').Logger, 'warn'>} logger */
  constructor(store, logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /**
   * Carries out a step. A store that fails or takes too long is a result, too.
   *
   * @param {StoreStep} step
   * @param {AbortSignal} signal
   * @returns {Promise<object>} what resume takes
   */
  async use({ timeout, op, key, value, ttl }, signal) {
    const store = this.#store;
    const use = async () => {
      if (op === 'get') return { value: (await store.get(key)) ?? null };
      if (op === 'add') return { added: await store.add(key, value, ttl) };
      await store.set(key, value, ttl);
      return {};
    };
    const tooSlow = (/** @type {number} */ ms) => new DOMException(`no response within ${ms} ms`, 'TimeoutError');
    try {
      return await within(timeout * 1000, tooSlow, signal, (signal) => unlessAborted(use(), signal));
    } catch (error) {
      if (!signal.aborted) this.#warn(op, error, value);
      return { failed: `the store failed: ${op}` }; // the store's own message may quote the token
    }
  }

  /**
   * Logs a failure, once a minute.
   *
   * @param {string} op
   * @param {any} error
   * @param {string} [value]
   */
  #warn(op, error, value = '') {
    const now = performance.now();
    if (now - this.#warned < quiet) return;
    this.#warned = now;
    const what = redacted(`${typeof error?.code === 'string' ? `${error.code} ` : ''}${error}`, value);
    this.#logger.warn(`the token is not shared: the store's ${op} failed: ${what}`);
  }
}

/**
 * Redacts a store's message: what may be a token or a password.
 *
 * @param {string} message
 * @param {string} value that the store was to set
 */
function redacted(message, value) {
  return message
    .slice(0, 500)
    .replace(/\/\/[^/@\s]*@/g, '//[redacted]@')
    .replace(/[\w.+=~-]{8,}/g, (word) => (value.includes(word) || word.length >= 32 ? '[redacted]' : word));
}
