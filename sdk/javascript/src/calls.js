import { kind } from './check.js';
import { waitUntil as ofRuntime } from '#inside';
import { after, Tasks } from './deadline.js';
import { explain, timedOut } from './error.js';
import { KeptSteps } from './kept.js';
import { openPlugin } from './plugin.js';
import { Loop } from './loop.js';
import { guardedLogger, GuardedStore } from './guard.js';

/** @typedef {import('./loop.js').Result} Result */
/** @typedef {import('./loop.js').Step} Step */
/** @typedef {import('./options.js').Body} Body */

/**
 * @typedef {object} CallOptions
 * @property {Body | undefined} [body] if the input has `"body":true`
 * @property {AbortSignal | null | undefined} [signal]
 * @property {number | undefined} [timeoutMs]
 * @property {((section: Promise<unknown>) => void) | undefined} [waitUntil]
 */

const decoder = new TextDecoder();

/** The calls of one instance of the plugin. */
export class Calls {
  #plugin;
  #options;
  #isClosed = false;
  #running = new Tasks();
  #sections = new Tasks(); // token requests outlive the calls that make them
  #ended = 0; // how many sections have ended in anything but a wait
  #kept = new KeptSteps();
  /** Wake the calls that wait for a section to end. */
  sleepers = /** @type {Set<() => void>} */ (new Set());

  /** @param {import('./plugin.js').Plugin} plugin @param {import('./options.js').Options} options */
  constructor(plugin, options) {
    this.#plugin = plugin;
    this.#options = options;
    this.fetch = options.fetch ?? ((url, init) => fetch(url, init));
    this.maxBody = options.maxBody ?? 64 * 1024 * 1024;
    this.store = options.store && new GuardedStore(options.store, guardedLogger(options.logger ?? console));
  }

  /**
   * Opens the plugin, and has it validate the config.
   *
   * @param {Record<string, string>} config as the plugin reads it
   * @param {import('./options.js').Options} options
   */
  static async open(config, options) {
    const calls = new Calls(await openPlugin(config, options), options);
    calls.call('check', '');
    return calls;
  }

  /**
   * Makes a call that may send requests.
   *
   * @param {string} call get_token, list_jobs or send_request
   * @param {object} input without the time
   * @param {CallOptions} options
   * @returns {Promise<Result>}
   * @throws {unknown} a RosteringError, or the signal's reason
   */
  async make(call, input, options) {
    if (this.#isClosed) throw closed();
    const { timeoutMs = this.#options.timeoutMs ?? 30_000, waitUntil = this.#options.waitUntil ?? ofRuntime } = options;
    return this.#running.run(timeoutMs, timedOut, options.signal, (signal) =>
      new Loop(this, { ...options, waitUntil, signal }).run(call, input),
    );
  }

  /**
   * Renews the token in the background: the calls have a valid one, so none waits, and an error concerns none of them. It is
   * logged, and the plugin backs off.
   *
   * @param {CallOptions['waitUntil']} waitUntil
   */
  renew(waitUntil) {
    const renewal = this.#sections.run(0, closed, undefined, (signal) =>
      new Loop(this, { signal, isRenewal: true }).run('get_token', {}),
    );
    const ended = renewal.catch(() => {});
    waitUntil?.(ended);
  }

  /**
   * Returns the time in Unix seconds.
   *
   * @throws {TypeError} if the clock of the options has none
   */
  now() {
    const { clock = Date.now } = this.#options;
    const time = clock();
    if (Number.isFinite(time)) return Math.floor(time / 1000);
    throw new TypeError(`the clock of the options must return milliseconds, not ${kind(time)}`);
  }

  /**
   * Calls an export that sends nothing and returns nothing.
   *
   * @param {string} name set_token or clear_token
   * @param {string} input as JSON
   */
  run(name, input) {
    if (this.#isClosed) throw closed();
    this.call(name, input);
    this.#wake();
  }

  /**
   * Waits for the calls that have begun, then cancels the token requests that no call waits for.
   *
   * @param {number} [timeoutMs] cancels the calls after this time
   */
  async close(timeoutMs = Infinity) {
    this.#isClosed = true;
    const timer = after(timeoutMs, () => this.#running.cancel(closed()));
    await this.#running.ended();
    clearTimeout(timer);
    this.#sections.cancel(closed());
  }

  /**
   * Runs a section: token requests and store steps, whose end other calls may wait for.
   *
   * @param {(signal: AbortSignal) => Promise<Step>} work
   */
  async section(work) {
    let isWait = false;
    try {
      const next = await this.#sections.run(0, closed, undefined, work);
      isWait = next.step === 'wait';
      return next;
    } finally {
      if (!isWait) this.#wake();
    }
  }

  /** Ends the waits for a section. */
  #wake() {
    this.#ended++;
    for (const wake of this.sleepers) wake();
    this.sleepers.clear(); // a request that workerd has canceled does not remove its own
  }

  /**
   * Whether a section has ended since the plugin was asked for a step.
   *
   * @param {{ended: number}} step
   */
  hasEnded({ ended }) {
    return ended !== this.#ended;
  }

  /**
   * Begins a call, with a kept step if there is one.
   *
   * @param {string} call
   * @param {{refused?: string}} input
   * @param {boolean} isRenewal
   */
  begin(call, input, isRenewal) {
    const now = this.now();
    const key = call + JSON.stringify(input);
    const kept = this.#kept.find(key, now);
    if (kept) return kept;
    if (input.refused !== undefined) this.#kept.drop();
    const accepts = ['wait', ...(this.store ? ['store'] : []), ...(isRenewal ? [] : ['renew'])];
    const step = this.step('begin', JSON.stringify({ call, accepts, input: { ...input, now } }));
    this.#kept.keep(key, step);
    return step;
  }

  /**
   * Asks the plugin for a step.
   *
   * @param {string} name begin or resume
   * @param {string} input
   * @param {import('./error.js').Circumstances} [known]
   * @returns {Step}
   */
  step(name, input, known) {
    const output = this.call(name, input, known);
    return Object.assign(JSON.parse(decoder.decode(output)), { ended: this.#ended });
  }

  /**
   * Calls an export.
   *
   * @param {string} name
   * @param {string | Uint8Array} input
   * @param {import('./error.js').Circumstances} [known]
   */
  call(name, input, known) {
    if (name !== 'begin') this.#kept.drop();
    try {
      return this.#plugin(name, input);
    } catch (thrown) {
      throw explain(thrown, known);
    }
  }
}

const closed = () => new DOMException('the client is closed', 'AbortError');
