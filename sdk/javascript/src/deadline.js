const longest = 2 ** 31 - 1; // ms; a longer timer fires immediately

/** Work that can end early, whatever it waits for. */
export class Task {
  #controller = new AbortController();
  #left = /** @type {{reason: unknown} | undefined} */ (undefined);
  #reject = /** @type {(reason: unknown) => void} */ (() => {});

  isBackground = false;
  /** For what the work waits for. */
  signal = this.#controller.signal;

  /**
   * Runs work that ends on timeout, or with a signal.
   *
   * @template T
   * @param {number} ms 0 or Infinity for no timeout
   * @param {(ms: number) => unknown} reason of a timeout
   * @param {AbortSignal | null | undefined} signal
   * @param {(task: Task) => Promise<T>} work
   * @param {boolean} [isBackground] whether Node may exit before its end
   * @returns {Promise<T>}
   */
  static async run(ms, reason, signal, work, isBackground = false) {
    signal?.throwIfAborted();
    const task = new Task();
    task.isBackground = isBackground;
    const timer = ms > 0 && ms <= longest ? setTimeout(() => task.leave(reason(ms)), ms) : undefined;
    if (isBackground) unref(timer);
    const others = signal ? tasksOf(signal).add(task) : undefined;
    try {
      return await work(task);
    } catch (error) {
      task.#controller.abort(error);
      throw error;
    } finally {
      clearTimeout(timer);
      others?.delete(task);
    }
  }

  /** Whether the work is to end. */
  get hasLeft() {
    return this.#left !== undefined;
  }

  /**
   * Ends the work: what it waits for rejects. In workerd, another request may do this. Only the work's own request may abort
   * the signal.
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
}

/** @type {WeakMap<AbortSignal, Set<Task>>} */
const ofSignals = new WeakMap();

/** Returns the tasks that end with a signal. They share a listener: Node warns of a leak at the eleventh. @param {AbortSignal} signal */
function tasksOf(signal) {
  const tasks = ofSignals.get(signal) ?? new Set();
  if (!ofSignals.has(signal))
    signal.addEventListener('abort', () => tasks.forEach((task) => task.leave(signal.reason)));
  ofSignals.set(signal, tasks);
  return tasks;
}

/**
 * Sleeps for a time, which is at most 24 days, or until the function is called that it adds to the sleepers. The timer also
 * keeps workerd from canceling a request that waits for nothing but other requests.
 *
 * @param {number} ms
 * @param {Task} [task] ends the sleep, too
 * @param {Set<() => void>} [sleepers]
 */
export async function sleep(ms, task, sleepers) {
  let wake = () => {};
  const slept = new Promise((/** @type {(_?: unknown) => void} */ resolve) => (wake = resolve));
  const timer = setTimeout(wake, Math.min(ms, longest));
  if (task?.isBackground) unref(timer);
  sleepers?.add(wake);
  try {
    await (task ? task.until(slept) : slept);
  } finally {
    clearTimeout(timer);
    sleepers?.delete(wake);
  }
}

/** Lets Node exit before a timer fires. @param {any} timer a number in some runtimes */
const unref = (timer) => timer?.unref?.();

/** @param {Set<() => void>} sleepers */
export function wakeAll(sleepers) {
  for (const wake of sleepers) wake();
  sleepers.clear(); // a request that workerd has canceled does not remove its own
}
