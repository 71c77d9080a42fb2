/**
 * Does work with a signal that is aborted when the time is over, or when another signal is.
 *
 * @template T
 * @param {number | undefined} timeoutMs 30,000 if not set
 * @param {AbortSignal | undefined} signal
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function within(timeoutMs = 30_000, signal, work) {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const expire = () => controller.abort(new DOMException(`no answer within ${timeoutMs} ms`, 'TimeoutError'));
  const timer = setTimeout(expire, timeoutMs);
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
