/**
 * A store in the tests' own process, for all fleets of one test. Nothing in it expires.
 *
 * @implements {Store}
 */
export class MemoryStore {
  /** @type {Map<string, string>} */
  values = new Map();
  locked = false;
  down = false;
  used = 0;
  /** @type {() => Promise<void>} */
  beforeLock = async () => {};

  /**
   * @param {string} key
   * @param {(slot: Slot) => Promise<void>} work
   */
  async use(key, work) {
    this.used++;
    const check = async (ms = 1) => {
      if (this.down) throw down;
      if (!(ms > 0)) throw new RangeError(`${ms} ms`);
    };
    /** @type {Slot} */
    const slot = {
      get: async () => {
        await check();
        return this.values.get(key) ?? '';
      },
      put: async (text, ms) => {
        await check(ms);
        this.values.set(key, text);
      },
      locked: async (ms, work) => {
        await check(ms);
        await this.beforeLock();
        if (this.locked) return false;
        this.locked = true;
        await work().finally(() => {
          this.locked = false;
        });
        return true;
      },
    };
    try {
      await work(slot);
    } catch (error) {
      if (error !== down) throw error;
      return false;
    }
    return true;
  }
}

/** @typedef {import('../rostering/store.js').Store} Store */
/** @typedef {import('../rostering/store.js').Slot} Slot */

const down = new Error('the store is down');
