import { checkValue, flag, kind } from './check.js';
import { sleep, Task } from './deadline.js';
import { RosteringError } from './error.js';
import { checkOptions } from './rules.js';

/**
 * For how long to retry.
 *
 * @typedef {object} RetryOptions
 * @property {number} [deadlineMs] Starts no wait that would end after this time (default: 60,000). Infinity retries until the
 *   call succeeds.
 * @property {(error: RosteringError) => boolean} [retryIf] Whether to retry after an error, in place of its `retryable`.
 * @property {AbortSignal | null} [signal] Ends the waits. Pass it to the call, too.
 */

/**
 * Retries a call while it fails with a {@link RosteringError} that is retryable: after its `retryAfter`, or 1 s, 2 s … 30 s.
 *
 * @template T
 * @param {() => Promise<T>} call such as `() => client.listJobs()`
 * @param {RetryOptions} [options]
 * @returns {Promise<T>}
 */
export async function retry(call, options = {}) {
  if (typeof call !== 'function')
    throw new TypeError(`retry takes a function, not ${kind(call)}: () => client.listJobs()`);
  checkOptions('retry', options);
  const { deadlineMs = 60_000, retryIf = ({ retryable }) => retryable, signal } = options;
  const deadline = performance.now() + deadlineMs;
  for (let backoff = 1; ; backoff = Math.min(2 * backoff, 30)) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RosteringError)) throw error;
      const isRetried = retryIf(error);
      checkValue('retry: the result of retryIf', isRetried, flag); // a promise would be true
      if (!isRetried) throw error;
      const wait = (error.retryAfter ?? backoff) * 1000 * (1 + Math.random() / 10); // jitter
      if (performance.now() + wait > deadline) throw error;
      await Task.run(Infinity, String, signal, (task) => sleep(wait, task));
    }
  }
}
