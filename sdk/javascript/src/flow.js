import { inBackground } from '#inside';
import { sleep, Task } from './deadline.js';
import { failure } from './error.js';
import { useStore } from './guard.js';
import { described, exchange, signed } from './http.js';

/** @typedef {import('./token.js').TokenObject} TokenObject */

/**
 * What begin and resume return, with times in seconds and limits in bytes. Before `until`, calls use the token and ask nobody.
 *
 * @typedef {{token: TokenObject, until: number}} Kept
 * @typedef {{step: 'request', flow: unknown, timeout: number, limit: number, request: import('./http.js').Request}} RequestStep
 * @typedef {{step: 'wait', flow: unknown, seconds: number}} WaitStep
 * @typedef {import('./guard.js').StoreStep} StoreStep
 * @typedef {(RequestStep | WaitStep | StoreStep) & Partial<Kept>} WorkStep
 * @typedef {WorkStep | ({step: 'done'} & Kept)} Step
 */

/** How a flow begins. @typedef {{force?: true, refused?: string, used?: true}} Start */

const oldest = 30_000; // ms that a step may take: the process was frozen, or workerd has canceled its request

/** A token flow: carries out the steps by which the plugin gets a token. Calls wait for it, and none of them can end it. */
export class Flow {
  #core;
  #onToken;
  #task = /** @type {Task | undefined} */ (undefined);
  #thrown = /** @type {unknown} */ (undefined); // by the last request
  #began = { now: 0, time: 0 }; // the step, by the clock in seconds and by the runtime in ms

  /** How it began. */
  start;
  isRunning = true;
  /** Its latest step with a token. @type {Kept | undefined} */
  latest;
  /** The token with which it ended. @type {TokenObject | undefined} */
  token;
  /** With what it failed. @type {unknown} */
  error;

  /** @param {import('./core.js').Core} core @param {Start} start @param {(step: Kept) => void} onToken */
  constructor(core, start, onToken) {
    this.#core = core;
    this.#onToken = onToken;
    this.start = start;
  }

  /** Runs the flow to its end. It never rejects. */
  async run() {
    try {
      let step = this.#ask('begin', { accepts: this.#core.store ? ['store', 'wait'] : ['wait'], ...this.start });
      while (step.step !== 'done') {
        const result = await this.#carryOut(step);
        if (!this.isRunning) return;
        // The plugin warns of a failing store, also without a logger.
        const logger = 'failed' in result && step.step === 'store' ? this.#core.storeLogger : this.#core.logger;
        step = this.#ask('resume', { flow: step.flow, ...result }, { thrown: this.#thrown, logger });
      }
      this.token = step.token;
    } catch (error) {
      if (this.isRunning) this.error = error;
    }
    this.isRunning = false;
  }

  /** Ends the flow: it is not resumed, and has neither a token nor an error. */
  abandon() {
    this.isRunning = false;
    this.#task?.leave(new DOMException('the token flow was abandoned', 'AbortError'));
  }

  /** How many ms its step may still take, by the clock or by the runtime, whichever shows less. */
  left() {
    const { now, time } = this.#began;
    return oldest - Math.max(1000 * (this.#core.now() - now), performance.now() - time);
  }

  /**
   * Asks the plugin for a step.
   *
   * @param {'begin' | 'resume'} name
   * @param {object} input
   * @param {import('./core.js').Known} [known]
   * @returns {Step}
   */
  #ask(name, input, known) {
    const now = this.#core.now();
    this.#began = { now, time: performance.now() };
    const step = this.#core.call(name, { ...input, now }, known);
    if (step.token && this.isRunning) this.#onToken(/** @type {Kept} */ (step)); // unless a logger has ended it
    return step;
  }

  /**
   * Carries out a step. What fails is a result, too.
   *
   * @param {WorkStep} step
   * @returns {Promise<object>} what resume takes
   */
  async #carryOut(step) {
    const ms = step.step === 'wait' ? 0 : 1000 * step.timeout;
    try {
      return await Task.run(ms, tooSlow, undefined, (task) => this.#work(step, task), true);
    } catch (thrown) {
      if (step.step === 'request') this.#thrown = thrown;
      return failure(thrown);
    }
  }

  /** @param {WorkStep} step @param {Task} task @returns {Promise<object>} */
  async #work(step, task) {
    const { fetch, store } = this.#core;
    this.#task = task;
    if (step.step === 'request') {
      const { request, limit } = step;
      this.#thrown = undefined;
      const send = () => task.until(exchange(fetch, signed(request), task.signal, { read: limit }));
      return described(await inBackground(send));
    }
    if (step.step === 'store') return store ? task.until(useStore(store, step)) : {};
    await sleep(1000 * step.seconds * (1 + Math.random() / 2), task); // jitter, against a thundering herd
    return {};
  }
}

const tooSlow = (/** @type {number} */ ms) => new DOMException(`no response within ${ms} ms`, 'TimeoutError');
