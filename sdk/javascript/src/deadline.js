const longest = 2 ** 31 - 1; // ms; a longer timer fires at once

/** @type {WeakMap<AbortSignal, Set<() => void>>} */
const listeners = new WeakMap();

/**
 * Calls a function when a signal is aborted. All calls with the same signal share one listener, because Node warns of a leak
 * at the eleventh.
 *
 * @param {AbortSignal} signal
 * @param {() => void} listener
 * @returns {() => void} removes it
 */
function onAbort(signal, listener) {
  const all = listeners.get(signal) ?? new Set();
  if (!listeners.has(signal)) {
    listeners.set(signal, all);
    signal.addEventListener('abort', () => all.forEach((listener) => listener()));
  }
  all.add(listener);
  if (signal.aborted) listener();
  return () => void all.delete(listener);
}

/** Concurrent work that can be waited for and canceled together. */
export class Tasks {
  /** @type {Set<(reason: unknown) => void>} */
  #running = new Set();
  /** @type {Set<(_?: unknown) => void>} */
  #waiting = new Set();
  /** @type {unknown} */
  #reason;

  /**
   * Runs work with a signal that is aborted on timeout, with another signal, or by cancel.
   *
   * @template T
   * @param {number} ms 0 or Infinity for no timeout
   * @param {(ms: number) => unknown} reason to abort with on timeout
   * @param {AbortSignal | null | undefined} signal
   * @param {(signal: AbortSignal) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async run(ms, reason, signal, work) {
    const controller = new AbortController();
    // In workerd, another request may cancel. As in sleep, a promise of this request then aborts this one.
    /** @type {(reason: unknown) => void} */
    let cancel = () => {};
    const canceled = new Promise((resolve) => (cancel = resolve));
    void canceled.then((reason) => controller.abort(reason));
    this.#running.add(cancel);
    if (this.#reason !== undefined) controller.abort(this.#reason);
    const timer = ms > 0 && ms <= longest ? setTimeout(() => controller.abort(reason(ms)), ms) : undefined;
    const forget = signal ? onAbort(signal, () => controller.abort(signal.reason)) : undefined;
    try {
      return await work(controller.signal);
    } finally {
      clearTimeout(timer);
      forget?.();
      this.#running.delete(cancel);
      if (this.#running.size === 0) this.#wake();
    }
  }

  /**
   * Aborts the work that runs, and any that starts later. Nothing waits for its end: work of a request that workerd has
   * canceled has none.
   *
   * @param {unknown} reason
   */
  cancel(reason) {
    this.#reason = reason;
    for (const cancel of this.#running) cancel(reason);
    this.#running.clear();
    this.#wake();
  }

  /** Waits until no work runs, or it has been canceled. */
  async ended() {
    if (this.#running.size > 0)
      await new Promise((/** @type {(_?: unknown) => void} */ wake) => this.#waiting.add(wake));
  }

  #wake() {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

/**
 * Runs work with a signal that is aborted on timeout, or with another signal.
 *
 * @type {Tasks['run']}
 */
export const within = (ms, reason, signal, work) => new Tasks().run(ms, reason, signal, work);

/**
 * Runs something after a time, which is at most 24 days. The timer also keeps workerd from canceling a request that waits for
 * nothing but other requests.
 *
 * @param {number} ms
 * @param {() => void} what
 */
export const after = (ms, what) => setTimeout(what, Math.min(ms, longest));

/**
 * Settles like a promise, or rejects with the signal's reason if that is aborted first.
 *
 * @template T
 * @param {Promise<T>} promise
 * @param {AbortSignal} signal
 * @returns {Promise<T>}
 */
export function unlessAborted(promise, signal) {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(forget);
  });
}

/**
 * Sleeps for a time, or until the function is called that it adds to the sleepers. In workerd, another request may call it:
 * the promise belongs to this request, so workerd continues this one, not the other.
 *
 * @param {number} ms
 * @param {AbortSignal | null} [signal]
 * @param {Set<() => void>} [sleepers]
 */
export async function sleep(ms, signal, sleepers) {
  let wake = () => {};
  const slept = new Promise((/** @type {(_?: unknown) => void} */ resolve) => (wake = resolve));
  const timer = setTimeout(wake, ms);
  sleepers?.add(wake);
  try {
    await (signal ? unlessAborted(slept, signal) : slept);
  } finally {
    clearTimeout(timer);
    sleepers?.delete(wake);
  }
}
