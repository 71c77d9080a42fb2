import { repeatable } from './body.js';
import { sleep, unlessAborted, within } from './deadline.js';
import { explain, notRepeatable, timedOut } from './error.js';
import { isSuccess, reason, send } from './http.js';
import { Plugin } from './plugin.js';

/** @typedef {import('./options.js').Body} Body */
/** @typedef {import('./options.js').Payload} Payload */
/** @typedef {import('./http.js').Answer} Answer */
/** @typedef {import('./http.js').Outcome} Outcome */
/** @typedef {import('./http.js').Request} Request */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./token.js').TokenObject} TokenObject */

/**
 * What begin and resume return.
 *
 * @typedef {{step: 'request', for: 'token', flow: unknown, request: Request}} TokenStep
 * @typedef {{step: 'request', for: 'service', flow: unknown, request: ServiceRequest, last?: true}} ServiceStep
 * @typedef {{step: 'store', flow: unknown, op: 'get' | 'add' | 'set', key: string, value: string, ttl: number}} StoreStep
 * @typedef {{step: 'wait', flow: unknown, seconds: number}} WaitStep
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

const tokenMs = 20_000;
const storeMs = 1_000;

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
    return new Calls(await Plugin.open(config, options), options);
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
    // Polls, because workerd does not resume a request when a promise of another one settles.
    while (this.#pending > 0) await new Promise((look) => setTimeout(look, 20));
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
      this.#pending--;
    }
  }

  /**
   * @param {string} begin
   * @param {CallOptions & {signal: AbortSignal}} options
   * @returns {Promise<Result>}
   */
  async #loop(begin, { now, body, signal, waitUntil = this.#options.waitUntil }) {
    const payload = body === undefined ? undefined : repeatable(body);
    const purpose = /** @type {const} */ ({ for: 'service', maxBody: this.#options.maxBody ?? 64 * 1024 * 1024 });
    /** @type {Answer | undefined} */
    let answer;
    signal.throwIfAborted();
    let step = await this.#step('begin', begin);
    while (step.step !== 'done') {
      if (step.step === 'wait') {
        await sleep(step.seconds * 1000 * (1 + Math.random() / 2), signal); // random, or a fleet would poll in step
        step = await this.#resume(step, {}, now);
      } else if (isShared(step)) {
        const section = this.#track(this.#finish(step, now));
        waitUntil?.(section.catch(() => {}));
        step = await unlessAborted(section, signal);
      } else {
        const request = await this.#request(step, payload, answer, now);
        const { told, lost, ...sent } = await send(this.#fetch, request, purpose, signal);
        if (!sent.answer) signal.throwIfAborted();
        answer = sent.answer;
        if (step.last && answer && isSuccess(answer)) return { answer };
        step = await this.#resume(step, told, now, lost);
      }
    }
    return step.output ? { output: step.output } : { answer };
  }

  /**
   * Requests a token and uses the store, up to the next step of another kind. Not ended by its caller: others wait for
   * the token, or look for it in the store.
   *
   * @param {SharedStep} step
   * @param {CallOptions['now']} now
   * @returns {Promise<Step>}
   */
  async #finish(step, now) {
    /** @type {Step} */
    let next = step;
    while (isShared(next)) {
      const { told, lost } = next.step === 'store' ? await this.#useStore(next) : await this.#requestToken(next);
      next = await this.#resume(next, told, now, lost);
    }
    return next;
  }

  /** @param {TokenStep} step */
  #requestToken({ request }) {
    const ask = (/** @type {AbortSignal} */ signal) => send(this.#fetch, request, { for: 'token' }, signal);
    return within(tokenMs, tooSlow, undefined, ask);
  }

  /**
   * @param {StoreStep} step
   * @returns {Promise<Outcome>}
   */
  async #useStore({ op, key, value, ttl }) {
    const store = /** @type {Store} */ (this.#options.store);
    const use = async () => {
      if (op === 'get') return { value: (await store.get(key)) ?? null };
      if (op === 'add') return { added: await store.add(key, value, ttl) };
      await store.set(key, value, ttl);
      return {};
    };
    try {
      return { told: await within(storeMs, tooSlow, undefined, (signal) => unlessAborted(use(), signal)) };
    } catch {
      return { told: { failed: `the store failed: ${op}` } }; // the store's message may quote the token
    }
  }

  /**
   * The request of a step, with the caller's body.
   *
   * @param {ServiceStep} step
   * @param {(() => Payload | Promise<Payload>) | undefined} payload
   * @param {Answer | undefined} refused the 401, if the step is the repeat after one
   * @param {CallOptions['now']} now
   */
  async #request(step, payload, refused, now) {
    const { body, ...request } = step.request;
    if (body !== true) return { ...request, body };
    try {
      return { ...request, body: await payload?.() };
    } catch (cause) {
      if (!refused) throw cause;
      await this.#resume(step, { failed: reason(cause) }, now).catch(() => {});
      throw notRepeatable(cause);
    }
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
    return JSON.parse(new TextDecoder().decode(await this.#call(name, input, lost)));
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
