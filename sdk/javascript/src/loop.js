import { isStream } from './check.js';
import { sleep, unlessAborted, within } from './deadline.js';
import { failed, isFinal, send } from './http.js';

/** @typedef {import('./options.js').Body} Body */
/** @typedef {import('./http.js').Outcome} Outcome */
/** @typedef {import('./http.js').Request} Request */
/** @typedef {import('./http.js').WholeResponse} WholeResponse */
/** @typedef {import('./guard.js').StoreStep} StoreStep */
/** @typedef {import('./token.js').TokenObject} TokenObject */

/**
 * What begin and resume return, with times in seconds and limits in bytes. `ended` is how many sections had ended before the
 * plugin was asked.
 *
 * @typedef {{step: 'request', for: 'token', flow: unknown, timeout: number, limit: number, request: Request}} TokenStep
 * @typedef {{step: 'request', for: 'service', flow: unknown, request: ServiceRequest, last?: true,
 *   until?: number, renew?: true}} ServiceStep
 * @typedef {{step: 'wait', for: 'call' | 'store', flow: unknown, seconds: number, ended: number}} WaitStep
 * @typedef {{step: 'done', output?: TokenObject, until?: number, renew?: true}} DoneStep
 * @typedef {TokenStep | StoreStep} SharedStep
 * @typedef {SharedStep | ServiceStep | WaitStep | DoneStep} Step
 */

/** @typedef {Omit<Request, 'body'> & {body?: string | true}} ServiceRequest `true` stands for the caller's body. */

/** @typedef {{output?: TokenObject, response?: WholeResponse | undefined}} Result the token object, or the service's response */

const maxErrorBody = 4 * 1024 + 1; // bytes of it that the plugin reads

/**
 * One call: a loop that carries out the steps that the plugin returns. The plugin decides which call requests a token, which
 * ones wait, and what is shared.
 */
export class Loop {
  #calls;
  #options;
  /** @type {WholeResponse | undefined} */
  #response; // the service's latest

  /**
   * @param {import('./calls.js').Calls} calls
   * @param {import('./calls.js').CallOptions & {signal: AbortSignal, isRenewal?: boolean}} options
   */
  constructor(calls, options) {
    this.#calls = calls;
    this.#options = options;
  }

  /**
   * Makes the call.
   *
   * @param {string} call
   * @param {object} input
   * @returns {Promise<Result>}
   */
  async run(call, input) {
    const { signal, waitUntil, isRenewal = false } = this.#options;
    signal.throwIfAborted();
    let step = this.#calls.begin(call, input, isRenewal);
    if ('renew' in step) this.#calls.renew(waitUntil);
    while (step.step !== 'done') {
      if (step.step === 'wait') {
        await this.#wait(step);
        step = this.#resume(step, {});
      } else if (isShared(step)) {
        const first = step;
        const section = this.#calls.section((signal) => this.#share(first, signal));
        waitUntil?.(section.catch(() => {}));
        step = await unlessAborted(section, signal);
      } else {
        const { result, cause, response } = await this.#request(step);
        if (!response) signal.throwIfAborted();
        this.#response = response;
        if (step.last && response && isFinal(response)) return { response };
        step = this.#resume(step, result, cause);
      }
    }
    return step.output ? { output: step.output } : { response: this.#response };
  }

  /** @param {WaitStep} step */
  async #wait(step) {
    const { signal } = this.#options;
    const jitter = 1 + Math.random() / 2; // or the instances of a fleet would look at the same moment
    if (step.for === 'store') await sleep(step.seconds * 1000 * jitter, signal);
    else if (!this.#calls.hasEnded(step)) await sleep(step.seconds * 1000, signal, this.#calls.sleepers);
  }

  /**
   * Requests a token and uses the store, up to the next step of another kind. The caller cannot end it: other calls wait for
   * the token, and other clients look for it in the store.
   *
   * @param {SharedStep} step
   * @param {AbortSignal} signal
   */
  async #share(step, signal) {
    /** @type {Step} */
    let next = step;
    while (isShared(next)) {
      const { result, cause } =
        next.step === 'store' ? await this.#useStore(next, signal) : await this.#requestToken(next, signal);
      signal.throwIfAborted(); // the client is closed, which is no failure of the token endpoint
      next = this.#resume(next, result, cause);
    }
    return next;
  }

  /** @param {StoreStep} step @param {AbortSignal} signal @returns {Promise<Outcome>} */
  async #useStore(step, signal) {
    const store = /** @type {import('./guard.js').GuardedStore} */ (this.#calls.store);
    return { result: await store.use(step, signal) };
  }

  /** @param {TokenStep} step @param {AbortSignal} signal */
  #requestToken({ request, timeout, limit }, signal) {
    const tooSlow = (/** @type {number} */ ms) => new DOMException(`no response within ${ms} ms`, 'TimeoutError');
    return within(timeout * 1000, tooSlow, signal, (signal) =>
      send(this.#calls.fetch, request, { plugin: limit }, signal),
    );
  }

  /**
   * Sends a request to the service, with the caller's body if it has one.
   *
   * @param {ServiceStep} step
   * @returns {Promise<Outcome>}
   */
  async #request({ request }) {
    const { body, signal } = this.#options;
    const { fetch, maxBody } = this.#calls;
    const limits = { plugin: maxErrorBody, final: maxBody };
    if (request.body !== true) return send(fetch, { ...request, body: request.body }, limits, signal);
    let payload;
    try {
      payload = typeof body === 'function' ? await unlessAborted(Promise.resolve(body()), signal) : body;
    } catch (cause) {
      if (!this.#response) throw cause; // not in the retry after a 401
      return failed(cause);
    }
    const outcome = await send(fetch, { ...request, body: payload }, limits, signal);
    const once = outcome.response?.status === 401 && isStream(body);
    return once ? { ...outcome, result: { ...outcome.result, repeatable: false } } : outcome;
  }

  /**
   * Returns the next step.
   *
   * @param {{flow: unknown}} step
   * @param {object} result of the step
   * @param {unknown} [cause]
   */
  #resume({ flow }, result, cause) {
    const input = JSON.stringify({ flow, now: this.#calls.now(), ...result });
    return this.#calls.step('resume', input, { cause, response: this.#response });
  }
}

/**
 * Whether other calls may wait for the outcome of a step.
 *
 * @param {Step} step
 * @returns {step is SharedStep}
 */
const isShared = (step) => step.step === 'store' || (step.step === 'request' && step.for === 'token');
