/** @typedef {import('./loop.js').Step} Step */

const most = 256; // steps, each of another request

/**
 * The first steps of calls that have a token, by which the same call needs no plugin. The plugin would begin it with the same
 * step until a time that it names, unless anything but `begin` is called before.
 */
export class KeptSteps {
  /** @type {Map<string, Step & {until: number}>} */
  #steps = new Map();
  #latest = 0; // when a step was last looked up

  /**
   * Returns the step that begins a call, if there is one. A clock that went back drops all steps.
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

  /**
   * Keeps the step that begins a call, if the plugin permits that.
   *
   * @param {string} call
   * @param {Step} step
   */
  keep(call, step) {
    if (!('until' in step)) return;
    if (this.#steps.size === most) this.#steps.clear();
    this.#steps.set(call, /** @type {Step & {until: number}} */ (step));
  }

  /** Drops all steps: the plugin's state is about to change. */
  drop() {
    this.#steps.clear();
  }
}
