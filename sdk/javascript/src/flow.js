import { inBackground } from '#inside';
import { checkValue, flag, textOrNull } from './check.js';
import { sleep, Task, wakeAll } from './deadline.js';
import { failure } from './error.js';
import { described, exchange, signed } from './http.js';

/** @typedef {import('./token.js').TokenObject} TokenObject */

/**
 * What begin and resume return, with times in seconds and limits in bytes. Before `until`, calls use the token and ask nobody.
 *
 * @typedef {{token: TokenObject, until: number}} Kept
 * @typedef {{step: 'request', flow: unknown, timeout: number, limit: number, request: import('./http.js').Request}} RequestStep
 * @typedef {{step: 'wait', flow: unknown, seconds: number}} WaitStep
 * @typedef {{step: 'store', flow: unknown, timeout: number, op: 'get' | 'add' | 'set', key: string, value: string,
 *   ttl: number}} StoreStep
 * @typedef {(RequestStep | WaitStep | StoreStep) & Partial<Kept>} WorkStep
 * @typedef {WorkStep | ({step: 'done'} & Kept)} Step
 */

const mostValue = 64 * 1024; // bytes; a token object is shorter
const encoder = new TextEncoder();
export const maxAge = 30_000; // ms that a step may take: the process was frozen, or workerd has canceled its request

/** A token flow of the plugin, whose steps it carries out. */
export class Flow {
  #shared;
  #holder;
  #task = /** @type {Task | undefined} */ (undefined);
  #thrown = /** @type {unknown} */ (undefined); // by the last request
  #began = { now: 0, time: 0 }; // the step, by the clock in seconds and by the runtime in ms
  #sleepers = /** @type {Set<() => void>} */ (new Set());

  /** The refused token that it replaces. */
  refused;
  force;
  /** Of the last step that had one. @type {TokenObject | undefined} */
  token;
  /** How many steps had one that calls may use. */
  tokens = 0;
  /** Whether its step writes to the store. */
  writes = false;
  /** False for a flow that was abandoned. */
  hasEnded = false;
  /** With which it ended. @type {unknown} */
  error;

  /**
   * @param {import('./shared.js').Shared} shared
   * @param {import('./holder.js').Holder} holder
   * @param {import('./holder.js').Refusal | undefined} refused
   * @param {boolean} force
   */
  constructor(shared, holder, refused, force) {
    this.#shared = shared;
    this.#holder = holder;
    this.refused = refused;
    this.force = force;
    this.touch();
  }

  /** Carries it out. Whatever ends it, ends it for all who wait. It never rejects. */
  async run() {
    const { store } = this.#shared;
    const { force, refused } = this;
    const begins = refused ? { refused: refused.token, used: refused.used } : { force };
    try {
      let step = this.#ask('begin', { accepts: store ? ['store', 'wait'] : ['wait'], ...begins });
      while (step.step !== 'done') {
        const result = await this.#carryOut(step);
        if (this.#holder.flow !== this) return; // abandoned
        const isOfStore = step.step === 'store' && 'failed' in result;
        step = this.#ask('resume', { flow: step.flow, ...result }, { thrown: this.#thrown, isOfStore });
      }
    } catch (error) {
      this.#holder.end(this, error);
    }
  }

  /** Ends what it waits for. */
  cancel() {
    this.#task?.leave(new DOMException('the token flow was abandoned', 'AbortError'));
  }

  /**
   * Returns the next step, which is published before the plugin's state changes again.
   *
   * @param {'begin' | 'resume'} name
   * @param {object} input
   * @param {import('./shared.js').Known} [known]
   * @returns {Step}
   */
  #ask(name, input, known) {
    const step = this.#shared.call(name, { ...input, now: this.#shared.now() }, known);
    this.#holder.publish(this, step);
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
    const { fetch, store } = this.#shared;
    this.#task = task;
    if (step.step === 'request') {
      const { request, limit } = step;
      this.#thrown = undefined;
      const send = () => task.until(exchange(fetch, signed(request), task.signal, { read: limit }));
      return described(await inBackground(send));
    }
    if (step.step === 'store') return store ? task.until(useStore(store, step)) : {};
    await sleep(1000 * step.seconds * (1 + Math.random() / 2), task); // at random, against a thundering herd
    return {};
  }

  /** Waits for news, or until its step is too old. @param {Task} [task] */
  async wait(task) {
    await sleep(Math.max(maxAge - this.age(), 0) + 1, task, this.#sleepers);
  }

  /** Ends the waits. */
  wake() {
    wakeAll(this.#sleepers);
  }

  /** Begins a step. */
  touch() {
    this.#began = { now: this.#shared.now(), time: performance.now() };
  }

  /** How many ms ago its step began, by the clock or by the runtime, whichever shows more (rule 6). */
  age() {
    const { now, time } = this.#began;
    return Math.max(1000 * (this.#shared.now() - now), performance.now() - time);
  }
}

/**
 * Carries out a step of a store.
 *
 * @param {import('./store.js').Store} store
 * @param {StoreStep} step
 * @returns {Promise<object>} what resume takes
 */
async function useStore(store, { op, key, value, ttl }) {
  if (op === 'get') {
    const found = (await store.get(key)) ?? null;
    checkValue('the value', found, textOrNull);
    if (found !== null && (found.length > mostValue || encoder.encode(found).length > mostValue))
      throw new Error('the value has more than 64 KiB');
    return { value: found };
  }
  if (op === 'add') {
    const added = await store.add(key, value, ttl);
    checkValue('the result', added, flag);
    return { added };
  }
  await store.set(key, value, ttl);
  return {};
}

const tooSlow = (/** @type {number} */ ms) => new DOMException(`no response within ${ms} ms`, 'TimeoutError');
