import { isStream } from './body.js';
import { checkContract } from './contract.js';
import { sleep, unlessAborted, within } from './deadline.js';
import { explain, timedOut } from './error.js';
import { isSuccess, reason, send } from './http.js';
import { Plugin } from './plugin.js';

/** @typedef {import('./options.js').Body} Body */
/** @typedef {import('./http.js').Answer} Answer */
/** @typedef {import('./http.js').Outcome} Outcome */
/** @typedef {import('./http.js').Request} Request */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./token.js').TokenObject} TokenObject */

/**
 * What begin and resume return, with times in seconds and limits in bytes; and the count of ended sections from before
 * the plugin was asked.
 *
 * @typedef {{step: 'request', for: 'token', flow: unknown, timeout: number, limit: number, request: Request}} TokenStep
 * @typedef {{step: 'request', for: 'service', flow: unknown, request: ServiceRequest, last?: true}} ServiceStep
 * @typedef {{step: 'store', flow: unknown, timeout: number, op: 'get' | 'add' | 'set', key: string, value: string,
 *   ttl: number}} StoreStep
 * @typedef {{step: 'wait', for: 'call' | 'store', flow: unknown, seconds: number, ended: number}} WaitStep
 * @typedef {{step: 'done', output?: TokenObject}} DoneStep
 * @typedef {TokenStep | StoreStep} SharedStep
 * @typedef {SharedStep | ServiceStep | WaitStep | DoneStep} Step
 */

/** @typedef {Omit<Request, 'body'> & {body?: string | true}} ServiceRequest `true` stands for the caller's body. */

/** @typedef {{output?: TokenObject, answer?: Answer}} Result the token object of get_token, or the service's answer */

/**
 * @typedef {object} CallOptions
 * @property {() => number | undefined} now the time in Unix seconds
 * @property {Body | undefined} [body] if the input has `"body":true`
 * @property {AbortSignal | undefined} [signal]
 * @property {number | undefined} [timeoutMs]
 * @property {((section: Promise<unknown>) => void) | undefined} [waitUntil]
 */

const maxErrorBody = 64 * 1024 + 1; // bytes that the plugin reads

/**
 * The calls of one instance of the plugin: each is a loop over the steps that the plugin returns. The plugin decides
 * which call requests a token, which ones wait and what is shared.
 */
export class Calls {
  #options;
  #fetch;
  /** @type {Promise<void> | undefined} */
  #closing;
  #pending = 0; // a count, because a promise of a request that workerd cancels would be kept for good
  #idle = () => {}; // called when none is pending
  #ended = 0; // sections that have ended in anything but a wait
  /** @type {Set<() => void>} */
  #sleepers = new Set(); // wake the calls that wait for a section to end

  /**
   * @param {Plugin} plugin
   * @param {import('./options.js').Options} options
   * @private
   */
  constructor(plugin, options) {
    this.plugin = plugin;
    this.#options = options;
    this.#fetch = options.fetch ?? ((url, init) => fetch(url, init));
  }

  /**
   * @param {import('./config.js').Config} config
   * @param {import('./options.js').Options} options
   */
  static async open(config, options) {
    const calls = new Calls(await Plugin.open(config, options), options);
    try {
      await checkContract(calls.plugin);
      await calls.#call('check', '');
    } catch (error) {
      await calls.plugin.close();
      throw error;
    }
    return calls;
  }

  /**
   * Makes a call that may send requests.
   *
   * @param {string} call get_token, list_jobs or send_request
   * @param {string} input as JSON
   * @param {CallOptions} options
   * @returns {Promise<Result>}
   * @throws {unknown} a RosteringError, or the signal's reason
   */
  async make(call, input, options) {
    this.#refuseIfClosed();
    const { timeoutMs = this.#options.timeoutMs ?? 30_000, signal } = options;
    const accepts = this.#options.store ? '["wait","store"]' : '["wait"]';
    const begin = `{"call":${JSON.stringify(call)},"accepts":${accepts},"input":${input}}`;
    const loop = (/** @type {AbortSignal} */ signal) => this.#loop(begin, { ...options, signal });
    return this.#track(within(timeoutMs, timedOut, signal, loop));
  }

  /**
   * Calls an export that sends nothing and returns nothing.
   *
   * @param {string} name set_token or clear_token
   * @param {string} input as JSON
   */
  async run(name, input) {
    this.#refuseIfClosed();
    await this.#track(this.#call(name, input));
  }

  /** Waits for the calls begun before it, and for the token requests that outlive them. */
  close() {
    return (this.#closing ??= this.#close());
  }

  async #close() {
    if (this.#pending > 0) {
      const timer = setInterval(() => {}, 60_000); // or workerd would cancel a request that waits for others alone
      await new Promise((/** @type {(_?: unknown) => void} */ idle) => (this.#idle = idle));
      clearInterval(timer);
    }
    await this.plugin.close();
  }

  #refuseIfClosed() {
    if (this.#closing) throw new Error('the client is closed');
  }

  /**
   * Makes close wait for a promise.
   *
   * @template T
   * @param {Promise<T>} promise
   */
  async #track(promise) {
    this.#pending++;
    try {
      return await promise;
    } finally {
      if (--this.#pending === 0) this.#idle();
    }
  }

  /**
   * @param {string} begin
   * @param {CallOptions & {signal: AbortSignal}} options
   * @returns {Promise<Result>}
   */
  async #loop(begin, { now, body, signal, waitUntil = this.#options.waitUntil }) {
    /** @type {Answer | undefined} */
    let answer;
    signal.throwIfAborted();
    let step = await this.#step('begin', begin);
    while (step.step !== 'done') {
      if (step.step === 'wait') {
        await this.#wait(step, signal);
        step = await this.#resume(step, {}, now);
      } else if (isShared(step)) {
        const section = this.#track(this.#section(step, now));
        waitUntil?.(section.catch(() => {}));
        step = await unlessAborted(section, signal);
      } else {
        const { told, lost, ...sent } = await this.#request(step, body, answer !== undefined, signal);
        if (!sent.answer) signal.throwIfAborted();
        answer = sent.answer;
        if (step.last && answer && isSuccess(answer)) return { answer };
        step = await this.#resume(step, told, now, lost);
      }
    }
    return step.output ? { output: step.output } : { answer };
  }

  /**
   * @param {WaitStep} step
   * @param {AbortSignal} signal
   */
  async #wait({ for: reason, seconds, ended }, signal) {
    const random = 1 + Math.random() / 2; // or a fleet would look in step
    if (reason === 'store') await sleep(seconds * 1000 * random, signal);
    else if (ended === this.#ended) await sleep(seconds * 1000, signal, this.#sleepers);
  }

  /**
   * Requests a token and uses the store, up to the next step of another kind. Not ended by its caller: others wait for
   * the token, or look for it in the store.
   *
   * @param {SharedStep} step
   * @param {CallOptions['now']} now
   * @returns {Promise<Step>}
   */
  async #section(step, now) {
    /** @type {Step} */
    let next = step;
    try {
      while (isShared(next)) {
        const { told, lost } = next.step === 'store' ? await this.#useStore(next) : await this.#requestToken(next);
        next = await this.#resume(next, told, now, lost);
      }
      return next;
    } finally {
      if (next.step !== 'wait') this.#wake();
    }
  }

  /** Ends the waits for a section. */
  #wake() {
    this.#ended++;
    for (const wake of this.#sleepers) wake();
    this.#sleepers.clear(); // a request that workerd has canceled does not
  }

  /** @param {TokenStep} step */
  #requestToken({ request, timeout, limit }) {
    const ask = (/** @type {AbortSignal} */ signal) => send(this.#fetch, request, { told: limit }, signal);
    return within(timeout * 1000, tooSlow, undefined, ask);
  }

  /**
   * @param {StoreStep} step
   * @returns {Promise<Outcome>}
   */
  async #useStore({ timeout, op, key, value, ttl }) {
    const store = /** @type {Store} */ (this.#options.store);
    const use = async () => {
      if (op === 'get') return { value: (await store.get(key)) ?? null };
      if (op === 'add') return { added: await store.add(key, value, ttl) };
      await store.set(key, value, ttl);
      return {};
    };
    try {
      return { told: await within(timeout * 1000, tooSlow, undefined, (signal) => unlessAborted(use(), signal)) };
    } catch {
      return { told: { failed: `the store failed: ${op}` } }; // the store's message may quote the token
    }
  }

  /**
   * Sends a request to the service, with the caller's body where that is due.
   *
   * @param {ServiceStep} step
   * @param {Body | undefined} body
   * @param {boolean} again whether this is the repeat after a 401
   * @param {AbortSignal} signal
   * @returns {Promise<Outcome>}
   */
  async #request({ request }, body, again, signal) {
    const limits = { told: maxErrorBody, body: this.#options.maxBody ?? 64 * 1024 * 1024 };
    if (request.body !== true) return send(this.#fetch, { ...request, body: request.body }, limits, signal);
    let payload;
    try {
      payload = typeof body === 'function' ? await body() : body;
    } catch (lost) {
      if (!again) throw lost;
      return { told: { failed: reason(lost) }, lost };
    }
    const { told, ...sent } = await send(this.#fetch, { ...request, body: payload }, limits, signal);
    const once = sent.answer?.status === 401 && isStream(body);
    return { ...sent, told: once ? { ...told, repeatable: false } : told };
  }

  /**
   * @param {{flow: unknown}} step
   * @param {object} told
   * @param {CallOptions['now']} now
   * @param {unknown} [lost]
   */
  #resume({ flow }, told, now, lost) {
    return this.#step('resume', JSON.stringify({ flow, now: now(), ...told }), lost);
  }

  /**
   * @param {string} name begin or resume
   * @param {string} input
   * @param {unknown} [lost]
   * @returns {Promise<Step>}
   */
  async #step(name, input, lost) {
    const ended = this.#ended; // from before the plugin is asked, or a wait would miss a section that ends meanwhile
    const output = await this.#call(name, input, lost);
    return { ...JSON.parse(new TextDecoder().decode(output)), ended };
  }

  /**
   * @param {string} name
   * @param {string} input
   * @param {unknown} [lost]
   */
  async #call(name, input, lost) {
    try {
      return await this.plugin.call(name, input);
    } catch (thrown) {
      throw explain(thrown, lost);
    }
  }
}

/** @param {number} ms */
const tooSlow = (ms) => new DOMException(`no answer within ${ms} ms`, 'TimeoutError');

/**
 * Whether others may wait for the outcome of a step.
 *
 * @param {Step} step
 * @returns {step is SharedStep}
 */
const isShared = (step) => step.step === 'store' || (step.step === 'request' && step.for === 'token');
