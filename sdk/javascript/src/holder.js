import { Flow, maxAge } from './flow.js';

/** @typedef {import('./deadline.js').Task} Task */
/** @typedef {import('./flow.js').Step} Step */
/** @typedef {import('./options.js').Options['waitUntil']} WaitUntil */
/** @typedef {import('./token.js').TokenObject} TokenObject */

/** A token that the service refused. `used` is as in the contract. @typedef {{token: string, used: boolean}} Refusal */

/**
 * Holds the token of a client. One flow at a time gets another from the plugin, apart from the calls that wait. Rules are those
 * of docs/contract.md, A host.
 */
export class Holder {
  #shared;
  /** Calls use its token until its time. @type {import('./flow.js').Kept | undefined} */
  #kept;
  #latest = 0; // time at which a token was looked for
  /** @type {string | undefined} the last token that the service accepted */
  #worked;
  /** @type {Refusal | undefined} with which the next flow begins */
  #refused;

  /** The flow that runs. @type {Flow | undefined} */
  flow;

  /** @param {import('./shared.js').Shared} shared */
  constructor(shared) {
    this.#shared = shared;
  }

  /**
   * Returns a token for a call.
   *
   * @param {Task} task
   * @param {string | undefined} mine the call's last token, if the service refused it
   * @param {WaitUntil} waitUntil
   * @returns {Promise<TokenObject>}
   */
  async token(task, mine, waitUntil) {
    for (;;) {
      const now = this.#shared.now();
      if (now < this.#latest) this.#kept = undefined; // the clock was set back (rule 7)
      this.#latest = now;
      if (this.#kept && now < this.#kept.until) return this.#kept.token;
      const { flow, seen } = this.#join(false, waitUntil);
      while (flow === this.#running() && flow.tokens === seen) await flow.wait(task);
      if (flow.token && flow.tokens > seen) return flow.token;
      // Rule 2: the error is not that of others.
      if (flow.error !== undefined && !flow.force && (flow.refused?.token ?? mine) === mine) throw flow.error;
    }
  }

  /**
   * Returns the token of a flow that begins from now on, which all share that wait for it (rule 1).
   *
   * @param {Task} task
   * @param {WaitUntil} waitUntil
   * @returns {Promise<TokenObject>}
   */
  async force(task, waitUntil) {
    const before = this.flow;
    for (;;) {
      const { flow } = this.#join(true, waitUntil);
      await this.#waitForEnd(task, flow);
      if (!flow.force || flow === before || !flow.hasEnded) continue;
      if (flow.error !== undefined) throw flow.error;
      if (flow.token) return flow.token;
    }
  }

  /** Waits for the end of the flow that runs. @param {Task} task */
  async settle(task) {
    if (this.flow) await this.#waitForEnd(task, this.flow);
  }

  /**
   * Waits until the flow that runs does not write to the store, at the end of the client: its lock would stay there, and others
   * wait for it.
   */
  async written() {
    for (let flow = this.#running(); flow?.writes; flow = this.#running()) await flow.wait();
  }

  /** Notes that the service did not refuse a token. @param {string} token */
  accept(token) {
    this.#worked = token;
  }

  /**
   * Notes that the service refused a token. The next flow replaces it, unless it is replaced (rule 3).
   *
   * @param {string} token
   * @param {boolean} [isFirst] whether this was the first 401 of a call that can be sent again (rule 4)
   */
  refuse(token, isFirst = false) {
    if (this.#kept?.token.access_token === token) this.#kept = undefined;
    const isReplaced = this.flow?.refused?.token === token;
    if (!this.#kept && !isReplaced) this.#refused = { token, used: isFirst && token === this.#worked };
  }

  /**
   * Forgets the token, after clear_token or set_token. The plugin restarts a running flow after clear_token; after set_token, the
   * calls that wait for it begin another (rule 1).
   *
   * @param {boolean} isSet
   */
  forget(isSet) {
    this.#kept = undefined;
    if (!isSet) return;
    this.#refused = undefined;
    this.abandon();
  }

  /** Has all who wait use the token of a step, before the plugin's state changes again (rule 1). @param {Flow} flow @param {Step} step */
  publish(flow, step) {
    if (this.flow !== flow) return; // abandoned: its result does not count (rule 6)
    flow.touch();
    if (flow.writes) flow.wake(); // for written
    flow.writes = step.step === 'store' && step.op === 'set';
    const { token, until } = step;
    // Rule 3: the service may refuse the token while the flow runs.
    if (token && until !== undefined && token.access_token !== this.#refused?.token) {
      this.#kept = { token, until };
      this.#refused = undefined;
      flow.token = token;
      flow.tokens++;
      flow.wake();
    }
    if (step.step !== 'done') return;
    flow.token = step.token;
    this.end(flow);
  }

  /** Ends a flow for all who wait, unless it has ended or was abandoned (rule 2). @param {Flow} flow @param {unknown} [error] */
  end(flow, error) {
    if (this.flow !== flow) return;
    flow.hasEnded = true;
    flow.error = error;
    this.flow = undefined;
    flow.wake();
  }

  /** Ends the flow that runs, without a result. */
  abandon() {
    const { flow } = this;
    this.flow = undefined;
    flow?.cancel();
    flow?.wake();
  }

  /** Returns the flow that runs. One whose step is too old is abandoned (rule 6). */
  #running() {
    if (this.flow && this.flow.age() > maxAge) this.abandon();
    return this.flow;
  }

  /**
   * Returns the flow that runs, or begins one, which does not end with the call that began it (rule 2); and how many tokens it had
   * until then.
   *
   * @param {boolean} force
   * @param {WaitUntil} waitUntil
   */
  #join(force, waitUntil = this.#shared.waitUntil) {
    const running = this.#running();
    if (running) return { flow: running, seen: running.tokens };
    const flow = new Flow(this.#shared, this, force ? undefined : this.#refused, force);
    if (!force) this.#refused = undefined;
    this.flow = flow;
    const ended = flow.run();
    waitUntil?.(ended);
    return { flow, seen: 0 };
  }

  /** Waits until a flow has ended or was abandoned. @param {Task} task @param {Flow} flow */
  async #waitForEnd(task, flow) {
    while (flow === this.#running()) await flow.wait(task);
  }
}
