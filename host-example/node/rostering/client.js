import { Direct } from './direct.js';
import { Driver } from './driver.js';
import { Pool } from './pool.js';
import { Token } from './token.js';

/** @typedef {import('./config.js').Config} Config */

/**
 * @typedef {object} Options
 * @property {number} [timeoutMs] Bounds one call with all its requests; 30,000 if not set. Waiting
 *   for other calls to end counts in the driver alone.
 * @property {import('./fetch.js').Fetch} [fetch] Sends the requests, for a proxy or a certificate authority of
 *   your own.
 * @property {import('./log.js').Log} [log] Is given the plugin's log lines, which hold neither
 *   secrets nor tokens.
 * @property {boolean} [worker] Whether the plugin runs in a worker. If not set, it does where the
 *   runtime lacks JSPI (Node 20 and 22), because HTTP is not possible otherwise. The driver needs none.
 */

/** @typedef {Options & {turns?: import('./turns.js').TurnTaking}} DriverOptions `turns` for a runtime in which
 *   one request must not wait for a promise of another. */

/** @typedef {Options & {size?: number}} PoolOptions `size` is how many instances make calls; 4 if not set.
 *   One more gets the token. */

/**
 * What differs from the config in one call. `null` leaves the header out.
 *
 * @typedef {{customerId?: string | null, userId?: string | null, signal?: AbortSignal}} JobsOptions
 */

/**
 * @typedef {object} RequestOptions
 * @property {string} [method] GET if not set.
 * @property {Record<string, string>} [headers] Beside those that the plugin sets.
 * @property {string} [body] Not with GET and HEAD.
 */

/** @typedef {{force?: boolean, signal?: AbortSignal}} TokenOptions */

/**
 * How the exports of the plugin are called. `call` gives the output, byte for byte, and throws a
 * RosteringError where the plugin says why not. Each may be called at any time.
 *
 * @typedef {object} Form
 * @property {(name: string, input?: Record<string, unknown>, signal?: AbortSignal) => Promise<Uint8Array>} call
 * @property {() => Promise<void>} close
 */

/**
 * The service, with its token. Share it: calls may be made at any time.
 */
export class Rostering {
  /** @type {Form} */
  #form;
  #closed = false;
  /** @type {Set<Promise<unknown>>} */
  #underWay = new Set();

  /**
   * @param {Form} form
   * @private
   */
  constructor(form) {
    this.#form = form;
  }

  /**
   * Makes an instance of the plugin, which sends its requests itself; its calls take turns. It sends
   * nothing yet: a wrong config shows at the first call.
   *
   * @param {BufferSource | WebAssembly.Module} wasm either build of the plugin
   * @param {Config} config
   * @param {Options} [options]
   * @returns {Promise<Rostering>}
   */
  static async open(wasm, config, options = {}) {
    return new Rostering(await Direct.open(await compiled(wasm), config, options));
  }

  /**
   * The same, but the requests are sent here, many at once: the plugin says which, and has no HTTP.
   *
   * @param {BufferSource | WebAssembly.Module} wasm
   * @param {Config} config
   * @param {DriverOptions} [options]
   * @returns {Promise<Rostering>}
   */
  static async openDriver(wasm, config, options = {}) {
    return new Rostering(await Driver.open(await compiled(wasm), config, options));
  }

  /**
   * The driver with a few instances that share one token. A call under way does not wait while another gets
   * a new token.
   *
   * @param {BufferSource | WebAssembly.Module} wasm
   * @param {Config} config
   * @param {PoolOptions} [options]
   * @returns {Promise<Rostering>}
   */
  static async openPool(wasm, config, options = {}) {
    return new Rostering(await Pool.open(await compiled(wasm), config, options));
  }

  /**
   * Lists the jobs. Gives the service's answer byte for byte.
   *
   * @param {JobsOptions} [options]
   * @returns {Promise<Uint8Array>}
   */
  listJobs({ customerId, userId, signal } = {}) {
    return this.#call('list_jobs', { customer_id: customerId, user_id: userId }, signal);
  }

  /**
   * Sends a request of your own to the service. Gives its answer byte for byte.
   *
   * @param {string} path behind baseUrl, with its query; begins with a slash
   * @param {RequestOptions & JobsOptions} [options]
   * @returns {Promise<Uint8Array>}
   */
  sendRequest(path, { method, headers, body, customerId, userId, signal } = {}) {
    const input = { path, method, headers, body, customer_id: customerId, user_id: userId };
    return this.#call('send_request', input, signal);
  }

  /**
   * Gives an access token for requests of your own: the one that the plugin has, or a new one. With
   * `force` it asks for a new one in any case; if that fails, the plugin keeps the one it has.
   *
   * @param {TokenOptions} [options]
   * @returns {Promise<Token>}
   */
  async getToken({ force, signal } = {}) {
    const output = await this.#call('get_token', { force }, signal);
    return new Token(JSON.parse(new TextDecoder().decode(output)));
  }

  /**
   * Takes a token that another client of the same config gave. To take the one that it has costs nothing.
   *
   * @param {Token} token
   */
  async setToken(token) {
    await this.#call('set_token', token.toObject());
  }

  /** Forgets the token, and what went wrong with it. */
  async clearToken() {
    await this.#call('clear_token');
  }

  /**
   * Waits for the calls made so far, and frees the plugin with its token. A worker keeps the process
   * alive until then.
   */
  async close() {
    this.#closed = true;
    await Promise.allSettled(this.#underWay);
    await this.#form.close();
  }

  [Symbol.asyncDispose]() {
    return this.close();
  }

  /** @type {Form['call']} */
  async #call(name, input, signal) {
    if (this.#closed) throw new Error('the client is closed');
    const call = this.#form.call(name, input, signal);
    this.#underWay.add(call);
    try {
      return await call;
    } finally {
      this.#underWay.delete(call);
    }
  }
}

/** @param {BufferSource | WebAssembly.Module} wasm */
async function compiled(wasm) {
  return wasm instanceof WebAssembly.Module ? wasm : WebAssembly.compile(wasm);
}
