/** The wait for a turn was too long. */
export class BusyError extends Error {
  override name = 'BusyError';
}

// In ms, between two looks. Requests that came at the same time must not look at the same time for ever.
const pause = () => 5 + 20 * Math.random();

/**
 * Lets the requests of an isolate do something one after the other.
 *
 * A request waits for nothing but its own timer, and looks whether it may go on. To wait for a promise of
 * another request is not safe: if that one is cancelled, nothing of it runs any more, and the promise is
 * never settled; and in code that V8 has optimised, workerd goes on in the wrong request ("Cannot perform
 * I/O on behalf of a different request"). For the same reason a turn has an end that others can see.
 */
export class Turns {
  #turnMs: number;
  #waitMs: number;
  /** The turn under way. It is over at `end` (ms since 1970), whatever became of its request. */
  #turn: { end: number } | undefined;

  /**
   * @param turnMs how long others wait for work; what takes longer is no longer alone
   * @param waitMs how long a request waits for its turn
   */
  constructor(turnMs: number, waitMs: number) {
    this.#turnMs = turnMs;
    this.#waitMs = waitMs;
  }

  /**
   * Does work when no other is under way, or throws a BusyError, or the signal's reason once that is
   * aborted.
   */
  async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const limit = Date.now() + this.#waitMs;
    signal?.throwIfAborted();
    while (this.#turn && Date.now() < this.#turn.end) {
      if (Date.now() >= limit) throw new BusyError(`no turn within ${this.#waitMs} ms`);
      await scheduler.wait(pause());
      signal?.throwIfAborted();
    }
    const turn = { end: Date.now() + this.#turnMs };
    this.#turn = turn;
    try {
      return await work();
    } finally {
      if (this.#turn === turn) this.#turn = undefined; // nobody took over
    }
  }
}
