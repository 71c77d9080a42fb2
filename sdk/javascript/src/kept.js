/** @typedef {import('./loop.js').Step} Step */

const most = 256; // steps, each for another request

/**
 * First steps of calls that have a token: the plugin would begin the same call with the same step until a time that it
 * names, unless anything but another beginning comes first. With one of them a call needs no plugin.
 */
export class KeptSteps {
  /** @type {Map<string, Step & {until: number}>} */
  #steps = new Map();
  #latest = 0; // time of a call

  /**
   * The step that begins a call. A clock that went back ends all steps.
   *
   * @param {string} call
   * @param {number} now
   */
  find(call, now) {
    if (now < this.#latest) this.drop();
    this.#latest = now;
    const step = this.#steps.get(call);
    return step && now < step.until ? step : undefined;
  }

  /** Makes a function that keeps a step that the plugin is about to return, unless they are dropped until then. */
  keeper() {
    const steps = this.#steps;
    return (/** @type {string} */ call, /** @type {Step} */ step) => {
      if (!('until' in step)) return;
      if (steps.size === most) steps.clear();
      steps.set(call, /** @type {Step & {until: number}} */ (step));
    };
  }

  /** Called before the plugin changes. */
  drop() {
    this.#steps = new Map();
  }
}
