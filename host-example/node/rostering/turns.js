/**
 * Lets pieces of work wait for each other.
 *
 * @typedef {{take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>}} TurnTaking
 */

/**
 * Lets pieces of work wait for each other.
 */
export class Turns {
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * Does work when all earlier work has ended. Once the signal is aborted, it waits no longer, and
   * what has not begun never will.
   *
   * @template T
   * @param {() => Promise<T>} work
   * @param {AbortSignal} [signal]
   * @returns {Promise<T>}
   */
  take(work, signal) {
    const done = this.#last.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    this.#last = done.catch(() => {});
    return signal ? unlessAborted(done, signal) : done;
  }
}

/**
 * @template T
 * @param {Promise<T>} done
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
function unlessAborted(done, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    done.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
