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

  /** Carries out a step. @param {StoreStep} step @returns {Promise<object>} what resume takes */
  async use({ op, key, value, ttl }) {
    if (op === 'get') {
      const found = (await this.#store.get(key)) ?? null;
      checkValue('the value', found, textOrNull);
      return { value: found };
    }
    if (op === 'add') {
      const added = await this.#store.add(key, value, ttl);
      checkValue('the result', added, flag);
      return { added };
    }
    await this.#store.set(key, value, ttl);
    return {};
  }

  /** Logs a failure, once a minute. @param {StoreStep} step @param {any} error @returns {object} what resume takes */
  failed({ op, value = '' }, error) {
    const now = performance.now();
    if (now - this.#warned >= quiet) {
      this.#warned = now;
      const what = redacted(`${typeof error?.code === 'string' ? `${error.code} ` : ''}${error}`, value);
      const means = 'calls continue, but the token is not shared (logged once a minute)';
      this.#logger.warn(`the token store's ${op} failed; ${means}: ${what}`);
    }
    return { failed: `the store failed: ${op}` }; // the store's own message may quote the token
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
