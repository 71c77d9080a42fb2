const longest = 2 ** 31 - 1; // ms; a longer timer fires at once

/** Work that can end early, whatever it waits for. */
export class Task {
  #controller = new AbortController();
  /** @type {{reason: unknown} | undefined} */
  #left;
  /** @type {(reason: unknown) => void} */
  #reject = () => {};

  /** For what the work waits for. */
  signal = this.#controller.signal;

  /** Whether the work is to end. */
  get hasLeft() {
    return this.#left !== undefined;
  }

  /**
   * Ends the work: what it waits for rejects. In workerd, another request may do this. Only the work's own request may abort
   * the signal, which `run` does.
   *
   * @param {unknown} reason
   */
  leave(reason) {
    this.#left ??= { reason };
    this.#reject(reason);
  }

  /**
   * Settles like a promise, or rejects if the work is to end. Work waits for one promise at a time.
   *
   * @template T
   * @param {Promise<T>} promise
   * @returns {Promise<T>}
   */
  until(promise) {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      promise.then(resolve, reject);
      if (this.#left) reject(this.#left.reason);
    });
  }

  /**
   * Runs work.
   *
   * @template T
   * @param {(task: Task) => Promise<T>} work
   */
  async run(work) {
    try {
      return await work(this);
    } catch (error) {
      this.#controller.abort(error);
      throw error;
    }
  }
}

/** Concurrent work that can be waited for and ended together. */
export class Tasks {
  /** @type {Set<Task>} */
  #running = new Set();
  /** @type {Set<() => void>} */
  #waiting = new Set();

  /**
   * Runs work that ends on timeout, with a signal, or by cancel.
   *
   * @template T
   * @param {number} ms 0 or Infinity for no timeout
   * @param {(ms: number) => unknown} reason of a timeout
   * @param {AbortSignal | null | undefined} signal
   * @param {(task: Task) => Promise<T>} work
   * @returns {Promise<T>}
   */
  async run(ms, reason, signal, work) {
    signal?.throwIfAborted();
    const task = new Task();
    this.#running.add(task);
    const timer = ms > 0 && ms <= longest ? setTimeout(() => task.leave(reason(ms)), ms) : undefined;
    const forget = signal ? onAbort(signal, () => task.leave(signal.reason)) : undefined;
    try {
      return await task.run(work);
    } finally {
      clearTimeout(timer);
      forget?.();
      this.#running.delete(task);
      if (this.#running.size === 0) wakeAll(this.#waiting);
    }
  }

  /**
   * Ends the work that runs. Nothing waits for its end: work of a request that workerd has canceled has none.
   *
   * @param {unknown} reason
   */
  cancel(reason) {
    for (const task of this.#running) task.leave(reason);
    this.#running.clear();
    wakeAll(this.#waiting);
  }

  /**
   * Waits until no work runs, or for a time. The timer also keeps workerd from canceling a request that waits for nothing but
   * other requests.
   *
   * @param {number} ms
   */
  async ended(ms) {
    if (this.#running.size > 0) await sleep(Math.min(ms, longest), undefined, this.#waiting);
  }
}

/**
 * Runs work that ends on timeout, or with a signal.
 *
 * @type {Tasks['run']}
 */
export const within = (ms, reason, signal, work) => new Tasks().run(ms, reason, signal, work);

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
  return () => void all.delete(listener);
}

/**
 * Sleeps for a time, or until the function is called that it adds to the sleepers.
 *
 * @param {number} ms
 * @param {Task} [task] ends the sleep, too
 * @param {Set<() => void>} [sleepers]
 */
export async function sleep(ms, task, sleepers) {
  let wake = () => {};
  const slept = new Promise((/** @type {(_?: unknown) => void} */ resolve) => (wake = resolve));
  const timer = setTimeout(wake, ms);
  sleepers?.add(wake);
  try {
    await (task ? task.until(slept) : slept);
  } finally {
    clearTimeout(timer);
    sleepers?.delete(wake);
  }
}

/** @param {Set<() => void>} sleepers */
export function wakeAll(sleepers) {
  for (const wake of sleepers) wake();
  sleepers.clear(); // a request that workerd has canceled does not remove its own
}
