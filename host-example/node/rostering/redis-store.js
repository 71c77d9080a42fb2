import { randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';

/** @typedef {import('./store.js').Slot} Slot */
/** @typedef {import('./store.js').Store} Store */

/**
 * @typedef {object} RedisOptions
 * @property {number} [timeoutMs] Bounds connecting, and each command; 1,000 if not set.
 * @property {number} [restMs] For how long Redis is left alone after a failure; 5,000 if not set.
 * @property {import('./log.js').Log} [log]
 */

const longest = 128 << 10; // bytes that are read; an access token has 32 KiB at most

// Another process may have the lock by now.
const unlock = `
if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end
return 0`;

/**
 * A fleet's token in Redis.
 *
 * @implements {Store}
 */
export class RedisStore {
  #url;
  #timeoutMs;
  #restMs;
  #log;
  #restsUntil = 0;

  /**
   * @param {string} url `rediss://user:password@host:6379/0`, or `redis://` without TLS
   * @param {RedisOptions} [options]
   */
  constructor(url, { timeoutMs = 1000, restMs = 5000, log } = {}) {
    if (!isReadable(url)) throw new Error('the address of Redis must be redis[s]://[user:password@]host[:port]');
    this.#url = url;
    this.#timeoutMs = timeoutMs;
    this.#restMs = restMs;
    this.#log = log;
  }

  /**
   * Redis is needed once in a token's lifetime, so no connection is kept.
   *
   * @param {string} key
   * @param {(slot: Slot) => Promise<void>} work
   * @returns {Promise<boolean>}
   */
  async use(key, work) {
    if (performance.now() < this.#restsUntil) return false;
    const slot = new RedisSlot(this.#url, this.#timeoutMs, key);
    try {
      await slot.connect();
      await work(slot);
    } catch (error) {
      if (!(error instanceof RedisFailure)) throw error;
      this.#restsUntil = performance.now() + this.#restMs;
      this.#log?.('warn', `Redis is not used for ${this.#restMs} ms: ${error.message}`);
      return false;
    } finally {
      slot.close();
    }
    return true;
  }
}

/** Has no cause: Redis quotes what it was sent, so that could hold the token. */
class RedisFailure extends Error {}

/**
 * One key, and one with `:lock` behind it.
 *
 * @implements {Slot}
 */
class RedisSlot {
  #client;
  #timeoutMs;
  #key;
  #lockKey;

  /**
   * @param {string} url
   * @param {number} timeoutMs
   * @param {string} key
   */
  constructor(url, timeoutMs, key) {
    // Every Redis, and what is in between, understands RESP 2.
    this.#client = createClient({ url, RESP: 2, socket: { reconnectStrategy: false } });
    this.#client.on('error', () => {}); // the command that it ends has it too
    this.#timeoutMs = timeoutMs;
    this.#key = key;
    this.#lockKey = `${key}:lock`;
  }

  async connect() {
    await this.#bounded(this.#client.connect());
  }

  close() {
    this.#client.destroy();
  }

  async get() {
    return (await this.#bounded(this.#client.getRange(this.#key, 0, longest))) ?? '';
  }

  /**
   * @param {string} text
   * @param {number} ms
   */
  async put(text, ms) {
    await this.#bounded(this.#client.set(this.#key, text, { expiration: { type: 'PX', value: Math.ceil(ms) } }));
  }

  /**
   * If this process dies, the lock ends by itself.
   *
   * @param {number} ms
   * @param {() => Promise<void>} work
   */
  async locked(ms, work) {
    const mine = randomUUID();
    const options = /** @type {const} */ ({ expiration: { type: 'PX', value: ms }, condition: 'NX' });
    if (!(await this.#bounded(this.#client.set(this.#lockKey, mine, options)))) return false;
    try {
      await work();
    } finally {
      const unlocking = this.#client.eval(unlock, { keys: [this.#lockKey], arguments: [mine] });
      await this.#bounded(unlocking).catch(() => {}); // as above
    }
    return true;
  }

  /**
   * The client's own time-out ends when a command has been sent.
   *
   * @template T
   * @param {Promise<T>} reply
   * @returns {Promise<T>}
   */
  #bounded(reply) {
    return new Promise((resolve, reject) => {
      const late = () => reject(new RedisFailure(`no answer within ${this.#timeoutMs} ms`));
      const timer = setTimeout(late, this.#timeoutMs);
      const failed = (/** @type {any} */ error) => reject(new RedisFailure(reason(error)));
      reply.then(resolve, failed).finally(() => clearTimeout(timer));
    });
  }
}

/**
 * What is safe to show: the system's code, or the first word of what Redis says, such as NOAUTH.
 *
 * @param {any} error
 * @returns {string}
 */
function reason(error) {
  return error?.code ?? /^[A-Z]+(?= )/.exec(error?.message)?.[0] ?? error?.constructor.name;
}

/**
 * Does not throw what createClient does, which could hold the password.
 *
 * @param {string} url
 */
function isReadable(url) {
  try {
    createClient({ url }).destroy();
  } catch {
    return false;
  }
  return url !== ''; // which would be Redis on this machine
}
