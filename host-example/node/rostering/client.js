import { toResponse } from './body.js';
import { Calls } from './calls.js';
import { Token } from './token.js';

/**
 * @typedef {object} Options
 * @property {import('./plugin.js').Source} [plugin] If not set, `rostering-nowasi.wasm` beside these files.
 * @property {import('./store.js').Store} [store] Shares the token with other clients.
 * @property {import('./http.js').Fetch} [fetch] Sends the requests, for a proxy or a certificate authority of your own.
 * @property {number} [timeoutMs] Bounds one call with all its requests and waits; the default is 30,000. 0 or Infinity
 *   disables it.
 * @property {number} [maxBody] The maximum size of an answer in bytes; the default is 64 MiB.
 * @property {import('./plugin.js').Logger} [logger] Receives the plugin's log lines, which hold neither secrets nor tokens.
 * @property {boolean} [worker] Runs the plugin in a worker. Rarely useful, because the plugin does no I/O.
 * @property {(section: Promise<unknown>) => void} [waitUntil] Receives what must continue when a call ends early, such
 *   as its token request, in runtimes that would cancel it.
 */

/**
 * @typedef {object} CallOptions
 * @property {AbortSignal} [signal] Ends the call, but not a token request that others may wait for.
 * @property {number} [timeoutMs] In place of the client's.
 * @property {number} [now] The time in Unix seconds, in place of the clock's.
 * @property {Options['waitUntil']} [waitUntil] In place of the client's.
 */

/**
 * @typedef {object} Ids in place of the config's. `null` leaves the header out.
 * @property {string | null} [customerId]
 * @property {string | null} [userId]
 */

/**
 * @typedef {object} TokenRequest
 * @property {boolean} [force] Requests a new token in any case. If that fails, the plugin keeps the one it has.
 * @property {string} [refused] An access token that the service answered 401 to: it is replaced.
 */

/**
 * @typedef {object} ServiceRequest
 * @property {string} path Appended to baseUrl, with its query; begins with a slash.
 * @property {string} [method] GET if not set.
 * @property {Record<string, string> | Headers} [headers] In addition to those that the plugin sets.
 * @property {import('./body.js').Body | null} [body] What fetch takes; text is sent without a Content-Type. A function
 *   is called for each attempt: a stream cannot be sent again after a 401.
 */

/**
 * The service, with its token. Share it: calls may be made at any time, and concurrently.
 */
export class Rostering {
  #calls;

  /**
   * @param {Calls} calls
   * @private
   */
  constructor(calls) {
    this.#calls = calls;
  }

  /**
   * Loads the plugin. Sends nothing; configuration errors surface on the first call.
   *
   * @param {import('./config.js').Config} config
   * @param {Options} [options]
   */
  static async open(config, options = {}) {
    return new Rostering(await Calls.open(config, options));
  }

  /**
   * Returns an access token for requests of your own: the cached one, or a new one.
   *
   * @param {TokenRequest & CallOptions} [options]
   * @returns {Promise<Token>}
   */
  async getToken({ force, refused, ...options } = {}) {
    const { output } = await this.#make('get_token', { force, refused }, options);
    return new Token(/** @type {import('./token.js').TokenObject} */ (output));
  }

  /**
   * Lists the jobs.
   *
   * @param {Ids & CallOptions} [options]
   * @returns {Promise<Response>} a 2xx response, whose body is in memory
   */
  async listJobs({ customerId, userId, ...options } = {}) {
    return this.#send('list_jobs', { customer_id: customerId, user_id: userId }, options);
  }

  /**
   * Sends a request of your own to the service.
   *
   * @param {ServiceRequest & Ids & CallOptions} request
   * @returns {Promise<Response>} a 2xx response, whose body is in memory
   */
  async sendRequest({ path, method, headers, body, customerId, userId, ...options }) {
    const present = body != null && body !== '';
    const input = {
      path,
      method,
      headers: headers instanceof Headers ? Object.fromEntries(headers) : headers,
      body: present || undefined,
      customer_id: customerId,
      user_id: userId,
    };
    return this.#send('send_request', input, options, present ? body : undefined);
  }

  /**
   * Caches a token obtained by another client with the same config.
   *
   * @param {Token} token
   * @param {Pick<CallOptions, 'now'>} [options]
   */
  async setToken(token, { now } = {}) {
    await this.#calls.run('set_token', JSON.stringify({ ...token.toObject(), now: now ?? clock() }));
  }

  /** Forgets the token and the back-off. */
  async clearToken() {
    await this.#calls.run('clear_token', '');
  }

  /** Waits for the calls made before it, then frees the plugin. A worker keeps the process alive until then. */
  async close() {
    await this.#calls.close();
  }

  [Symbol.asyncDispose]() {
    return this.close();
  }

  /**
   * @param {string} call
   * @param {object} input
   * @param {CallOptions} options
   * @param {import('./body.js').Body} [body]
   */
  async #send(call, input, options, body) {
    const { answer } = await this.#make(call, input, options, body);
    return toResponse(/** @type {import('./http.js').Answer} */ (answer));
  }

  /**
   * @param {string} call
   * @param {object} input
   * @param {CallOptions} options
   * @param {import('./body.js').Body} [body]
   */
  #make(call, input, { now, ...options }, body) {
    const time = () => now ?? clock();
    return this.#calls.make(call, JSON.stringify({ ...input, now: time() }), { ...options, body, now: time });
  }
}

/** The time in Unix seconds. */
const clock = () => Math.floor(Date.now() / 1000);
