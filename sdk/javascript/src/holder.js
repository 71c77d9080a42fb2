import { sleep, wakeAll } from './deadline.js';
import { Flow } from './flow.js';

/** @typedef {import('./deadline.js').Task} Task */
/** @typedef {import('./flow.js').Kept} Kept */
/** @typedef {import('./token.js').TokenObject} TokenObject */

/**
 * What a call wants.
 *
 * @typedef {object} Wanted
 * @property {boolean | undefined} [force] a new token
 * @property {string | undefined} [mine] the access token of this call that was refused
 * @property {import('./options.js').Options['waitUntil']} [waitUntil]
 */

/** Holds the token of a client. It runs one flow at a time to get another one, apart from the calls that wait for it. */
export class Holder {
  #core;
  /** @type {Kept | undefined} */
  #kept;
  /** @type {Flow | undefined} the last one */
  #flow;
  /** @type {import('./flow.js').Start | undefined} how the next flow begins */
  #refused;
  /** @type {string | undefined} the last access token that the service accepted */
  #worked;
  #latest = 0; // when the token was last looked at
  #sleepers = /** @type {Set<() => void>} */ (new Set());

  /** @param {import('./core.js').Core} core */
  constructor(core) {
    this.#core = core;
  }

  /**
   * Returns the token: the one that is kept, or one from a flow.
   *
   * @param {Task} task
   * @param {Wanted} wanted
   * @returns {Promise<TokenObject>}
   */
  async token(task, { force = false, mine, waitUntil }) {
    const before = this.#flow;
    for (;;) {
      const kept = this.#current();
      if (kept && !force) return kept;
      const running = this.#running();
      const seen = running?.latest;
      const flow = running ?? this.#begin(force, waitUntil);
      while (flow === this.#running() && (force || flow.latest === seen)) {
        await sleep(flow.left(), task, this.#sleepers);
      }
      if (!force && flow.latest && flow.latest !== seen) return flow.latest.token;
      const { force: forced = false, refused = mine } = flow.start;
      if (force ? !forced || flow === before : forced || refused !== mine) continue; // its end does not concern this call
      if (flow.error !== undefined) throw flow.error;
      if (force && flow.token) return flow.token;
    }
  }

  /** Waits for the end of the flow that runs. @param {Task} task */
  async settle(task) {
    const flow = this.#running();
    while (flow && flow === this.#running()) await sleep(flow.left(), task, this.#sleepers);
  }

  /** Notes that the service did not refuse a token. @param {string} accessToken */
  accept(accessToken) {
    this.#worked = accessToken;
  }

  /**
   * Notes that the service refused a token. The next flow replaces it, unless another token or the running
   * flow does.
   *
   * @param {string} accessToken
   * @param {boolean} [isFirst] whether it was the first 401 of a call that can be sent again
   */
  refuse(accessToken, isFirst = false) {
    if (this.#kept?.token.access_token === accessToken) this.#kept = undefined;
    if (this.#kept || this.#running()?.start.refused === accessToken) return;
    this.#refused = { refused: accessToken, ...(isFirst && accessToken === this.#worked && { used: true }) };
  }

  /**
   * Forgets the token, after clearToken or setToken. The plugin restarts a running flow after
   * clearToken; after setToken, the calls that wait for it begin another.
   *
   * @param {boolean} isSet
   */
  forget(isSet) {
    this.#kept = undefined;
    if (!isSet) return;
    this.#refused = undefined;
    this.abandon();
  }

  /** Whether a flow runs. */
  get isRenewing() {
    return this.#flow?.isRunning ?? false;
  }

  /** Ends the flow that runs. Calls that wait for it begin another. */
  abandon() {
    if (this.#flow?.isRunning) this.#flow.abandon();
    wakeAll(this.#sleepers);
  }

  /** Returns the token that is kept, if calls may use it now. */
  #current() {
    const now = this.#core.now();
    if (now < this.#latest) this.#kept = undefined; // the clock went back
    this.#latest = now;
    return this.#kept && now < this.#kept.until ? this.#kept.token : undefined;
  }

  /** Returns the flow that runs. One whose step never ends is abandoned. */
  #running() {
    if (this.#flow?.isRunning && this.#flow.left() <= 0) this.abandon();
    return this.#flow?.isRunning ? this.#flow : undefined;
  }

  /** @param {boolean} force @param {Wanted['waitUntil']} waitUntil */
  #begin(force, waitUntil = this.#core.waitUntil) {
    const start = force ? { force } : (this.#refused ?? {});
    if (!force) this.#refused = undefined;
    const flow = new Flow(this.#core, start, (step) => {
      if (step.token.access_token === this.#refused?.refused) return; // while the flow ran
      this.#kept = flow.latest = step;
      wakeAll(this.#sleepers);
    });
    this.#flow = flow;
    const ended = flow.run().then(() => wakeAll(this.#sleepers));
    waitUntil?.(ended);
    return flow;
  }
}
