import { Driver } from './driver.js';
import { RosteringError } from './error.js';

/** @typedef {import('./token.js').TokenObject} TokenObject */
/** @typedef {{driver: Driver, given?: string}} Member `given` is the token that it was given last, or gave. */

/**
 * Some instances of the plugin that make the calls, and one more that gets the token for all: once, however
 * many calls wait for it. A call under way does not wait for a new token that others need.
 */
export class Pool {
  #keeper;
  #members;
  #next = 0;

  /**
   * @param {Driver} keeper
   * @param {Member[]} members
   * @private
   */
  constructor(keeper, members) {
    this.#keeper = keeper;
    this.#members = members;
  }

  /**
   * @param {WebAssembly.Module} module
   * @param {import('./config.js').Config} config
   * @param {import('./client.js').PoolOptions} options
   * @returns {Promise<Pool>}
   */
  static async open(module, config, { size = 4, ...options }) {
    const open = () => Driver.open(module, config, options);
    const drivers = await Promise.all(Array.from({ length: size }, open));
    return new Pool(
      await open(),
      drivers.map((driver) => ({ driver })),
    );
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} [input]
   * @param {AbortSignal} [signal]
   * @returns {Promise<Uint8Array>}
   */
  async call(name, input, signal) {
    if (name === 'list_jobs' || name === 'send_request') return this.#callService(name, input, signal);
    if (name === 'clear_token') await Promise.all(this.#members.map(forget));
    return this.#keeper.call(name, input, signal);
  }

  async close() {
    await Promise.all([this.#keeper.close(), ...this.#members.map(({ driver }) => driver.close())]);
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} [input]
   * @param {AbortSignal} [signal]
   */
  async #callService(name, input, signal) {
    const token = parse(await this.#keeper.call('get_token', {}, signal));
    const member = this.#takeTurn();
    await give(member, token);
    try {
      const answer = await member.driver.call(name, input, signal);
      await this.#takeBack(member);
      return answer;
    } catch (error) {
      if (isAnswered(error)) await this.#takeBack(member);
      throw error;
    }
  }

  /** The members come round in turn. */
  #takeTurn() {
    const member = this.#members[this.#next++ % this.#members.length];
    if (!member) throw new RangeError('a pool has a size of at least 1');
    return member;
  }

  /**
   * A member whose token was revoked has a new one, which is for all. A failure shows at the next call.
   *
   * @param {Member} member
   */
  async #takeBack(member) {
    try {
      const token = parse(await member.driver.call('get_token', {}));
      if (token.access_token === member.given) return;
      member.given = token.access_token;
      await this.#keeper.call('set_token', token);
    } catch (error) {
      if (!(error instanceof RosteringError)) throw error;
    }
  }
}

/**
 * Gives a member the token, unless it had it before: it may have found out that it was revoked. One that has
 * expired by now is refused; the member then gets one by itself.
 *
 * @param {Member} member
 * @param {TokenObject} token
 */
async function give(member, token) {
  if (token.access_token === member.given) return;
  member.given = token.access_token;
  try {
    await member.driver.call('set_token', token);
  } catch (error) {
    if (!(error instanceof RosteringError)) throw error;
  }
}

/** @param {Member} member */
async function forget(member) {
  member.given = undefined;
  await member.driver.call('clear_token');
}

/**
 * Whether the error is an answer of the service, so that there was a token.
 *
 * @param {unknown} error
 */
const isAnswered = (error) => error instanceof RosteringError && error.code.startsWith('service_');

/**
 * @param {Uint8Array} output
 * @returns {TokenObject}
 */
const parse = (output) => JSON.parse(new TextDecoder().decode(output));
