const longest = 2 ** 31 - 1; // ms; a longer timer fires at once

/**
 * Runs work with a signal that is aborted on time-out, or when another signal is.
 *
 * @template T
 * @param {number} ms 0 or Infinity for no time-out
 * @param {(ms: number) => unknown} reason to abort with on time-out
 * @param {AbortSignal | undefined} signal
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function within(ms, reason, signal, work) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const timer = ms > 0 && ms <= longest ? setTimeout(() => controller.abort(reason(ms)), ms) : undefined;
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/**
 * The outcome of a promise, or the signal's reason if that is aborted first.
 *
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export function unlessAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/**
 * Sleeps, but no longer than until the function is called that it adds to the sleepers. In workerd another request may
 * call that: the promise is this request's own, so workerd continues this request, and not the other one.
 *
 * @param {number} ms
 * @param {AbortSignal} signal
 * @param {Set<() => void>} [sleepers]
 */
export async function sleep(ms, signal, sleepers) {
  let wake = () => {};
  const slept = new Promise((/** @type {(_?: unknown) => void} */ resolve) => (wake = resolve));
  const timer = setTimeout(wake, ms);
  sleepers?.add(wake);
  try {
    await unlessAborted(slept, signal);
  } finally {
    clearTimeout(timer);
    sleepers?.delete(wake);
  }
}
