/** @typedef {(level: 'debug' | 'info' | 'warn' | 'error', line: string) => void} Log */

const quiet = () => {};

/**
 * The SDK's options for a log: a console is what it takes.
 *
 * @param {Log} [log]
 * @returns {{logger: Console, logLevel: 'debug' | 'silent'}}
 */
export function logger(log) {
  /** @param {'debug' | 'info' | 'warn' | 'error'} level */
  const at = (level) => (log ? (/** @type {string} */ line) => log(level, line) : quiet);
  const logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    trace: quiet,
    log: quiet,
  };
  return { logger: /** @type {any} */ (logger), logLevel: log ? 'debug' : 'silent' };
}
