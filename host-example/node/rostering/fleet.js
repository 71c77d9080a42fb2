import { setTimeout } from 'node:timers/promises';
import { cacheKey } from './cache-key.js';
import { RosteringError } from './error.js';
import { Token } from './token.js';
import { Turns } from './turns.js';

/** @typedef {import('./client.js').Rostering} Rostering */
/** @typedef {import('./config.js').Config} Config */
/** @typedef {import('./store.js').Store} Store */
/** @typedef {import('./store.js').Slot} Slot */

const marginMs = 60_000; // before its expiry, a token that lives for long is renewed
const [shortest, longest] = [10, 250]; // milliseconds between two looks for another process's token

/**
 * A client that shares its token with those of other processes, through a store.
 *
 * Who finds the token missing, or soon to expire, locks its place in the store, asks for a new one and
 * puts it there. The others go on with the old one, or wait for twice `lockMs` at most. The lock of a
 * process that dies ends after `lockMs`: a token request takes less. While the store cannot be used, each
 * process asks for itself.
 *
 * What comes from the store is not trusted: the plugin judges it, and no error shows it.
 */
export class Fleet {
  #client;
  #key;
  #store;
  #lockMs;
  /** @type {Held | undefined} */
  #held;
  /**
   * The access token before that.
   * @type {string | undefined}
   */
  #past;
  /** @type {Promise<void> | undefined} */
  #renewing;

  /**
   * @param {Rostering} client
   * @param {Config} config
   * @param {Store} store
   * @param {number} lockMs
   * @private
   */
  constructor(client, config, store, lockMs) {
    this.#client = client;
    this.#key = cacheKey(config);
    this.#store = store;
    this.#lockMs = lockMs;
  }

  /**
   * @param {(config: Config) => Promise<Rostering>} openClient opens a client with the config that it is given
   * @param {Config} config
   * @param {Store} store
   * @param {{lockMs?: number}} [options] 10,000 if not set
   * @returns {Promise<Fleet>}
   */
  static async open(openClient, config, store, { lockMs = 10_000 } = {}) {
    // With 0, the plugin does not renew by itself what the fleet is about to renew.
    return new Fleet(await openClient({ ...config, refreshMargin: 0 }), config, store, lockMs);
  }

  /**
   * As a client's.
   *
   * @param {import('./client.js').JobsOptions} [options]
   * @returns {Promise<Uint8Array>}
   */
  listJobs(options) {
    return this.#call(() => this.#client.listJobs(options), options?.signal);
  }

  /**
   * As a client's.
   *
   * @param {string} path
   * @param {import('./client.js').RequestOptions & import('./client.js').JobsOptions} [options]
   * @returns {Promise<Uint8Array>}
   */
  sendRequest(path, options) {
    return this.#call(() => this.#client.sendRequest(path, options), options?.signal);
  }

  /**
   * The token that all share.
   *
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<Token>}
   */
  getToken({ signal } = {}) {
    return this.#call(() => this.#client.getToken({ signal }), signal);
  }

  /** Waits for the calls made so far, and closes the client. The others keep the token. */
  async close() {
    await this.#renewing?.catch(() => {}); // who waits for it has its error
    await this.#client.close();
  }

  [Symbol.asyncDispose]() {
    return this.close();
  }

  /**
   * @template T
   * @param {() => Promise<T>} call
   * @param {AbortSignal} [signal]
   * @returns {Promise<T>}
   */
  async #call(call, signal) {
    await this.#prepare(signal);
    try {
      const answer = await call();
      await this.#handOn();
      return answer;
    } catch (error) {
      // With other errors, there may be no token.
      if (isRostering(error) && error.code === 'service_error') await this.#handOn();
      throw error;
    }
  }

  /**
   * Sees to it that there is a good token. One call renews it; the others may have an old one.
   *
   * @param {AbortSignal} [signal]
   */
  async #prepare(signal) {
    signal?.throwIfAborted();
    if (this.#held?.good || (this.#held?.valid && this.#renewing)) return;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    const renewing = this.#renewing;
    await new Turns().take(() => renewing, signal); // it goes on if the signal ends the call
  }

  async #renew() {
    await this.#store.use(this.#key, (slot) => this.#share(slot));
    if (!this.#held?.good) await this.#ask();
  }

  /**
   * Takes the token that is there, or is the one process that asks for a new one.
   *
   * @param {Slot} slot
   */
  async #share(slot) {
    const end = performance.now() + 2 * this.#lockMs;
    const askUnlessThere = async () => {
      // It may have come just before the lock.
      if (!(await this.#take(slot)) && (await this.#ask())) await this.#put(slot);
    };
    for (let pause = shortest; performance.now() < end; pause = Math.min(2 * pause, longest)) {
      if ((await this.#take(slot)) || (await slot.locked(this.#lockMs, askUnlessThere))) return;
      if (this.#held?.valid) return this.#held.putOff(longest);
      await setTimeout(pause);
    }
    if (await this.#ask()) await this.#put(slot);
  }

  /**
   * Takes the token that is there, if it is a new one and the plugin takes it.
   *
   * @param {Slot} slot
   */
  async #take(slot) {
    const token = read(await slot.get());
    if (!token || isIn(this.#held, token) || token.accessToken === this.#past) return false;
    try {
      await this.#client.setToken(token);
    } catch (error) {
      if (isRostering(error)) return false;
      throw error;
    }
    this.#hold(token);
    return true;
  }

  /** Asks for a new token. False if that failed and the old one will do. */
  async #ask() {
    const old = this.#held?.valid ? this.#held : undefined;
    try {
      this.#hold(await this.#client.getToken({ force: Boolean(old) }));
      return true;
    } catch (error) {
      if (!old || !isRostering(error)) throw error;
      old.putOff((error.retryAfter ?? 1) * 1000);
      return false;
    }
  }

  /** @param {Slot} slot */
  async #put(slot) {
    if (!this.#held?.valid) return;
    const { token } = this.#held;
    await slot.put(JSON.stringify(token.toObject()), token.expiresAt.getTime() - Date.now());
  }

  /** Puts the token there that the plugin got by itself, after a 401. */
  async #handOn() {
    const before = this.#held;
    try {
      const token = await this.#client.getToken(); // no request: it is there
      // If it is not the one before, another call may know of it by now.
      if (isIn(before, token) || isIn(this.#held, token)) return;
      this.#hold(token);
      await this.#store.use(this.#key, (slot) => this.#put(slot));
    } catch {
      // The call has an end already, which nothing is to replace.
    }
  }

  /** @param {Token} token */
  #hold(token) {
    this.#past = this.#held?.token.accessToken;
    this.#held = new Held(token);
  }
}

/** The token in the plugin, so far as the fleet knows. */
class Held {
  token;
  #expiresAt;
  #renewAt;

  /** @param {Token} token Its lifetime is what is left of it. */
  constructor(token) {
    this.token = token;
    this.#expiresAt = token.expiresAt.getTime();
    this.#renewAt = this.#expiresAt - Math.min(marginMs, (this.#expiresAt - Date.now()) / 2);
  }

  get good() {
    return Date.now() < this.#renewAt;
  }

  get valid() {
    return Date.now() < this.#expiresAt;
  }

  /**
   * Renews it later, but not too late.
   *
   * @param {number} ms
   */
  putOff(ms) {
    this.#renewAt = Math.min(Date.now() + ms, this.#expiresAt);
  }
}

/**
 * @param {Held | undefined} held
 * @param {Token} token
 */
const isIn = (held, token) => held?.token.accessToken === token.accessToken;

/**
 * @param {string} text could be anything
 * @returns {Token | undefined}
 */
function read(text) {
  try {
    return new Token(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * @param {unknown} error
 * @returns {error is RosteringError}
 */
const isRostering = (error) => error instanceof RosteringError;
