/// <reference lib="esnext.disposable" preserve="true" />

import { toResponse } from './body.js';
import { Calls } from './calls.js';
import { Token } from './token.js';

/** @typedef {import('./config.js').Config} Config */
/** @typedef {import('./options.js').Body} Body */
/** @typedef {import('./options.js').CallOptions} CallOptions */
/** @typedef {import('./options.js').Ids} Ids */
/** @typedef {import('./options.js').Options} Options */
/** @typedef {import('./options.js').ServiceRequest} ServiceRequest */
/** @typedef {import('./options.js').TokenRequest} TokenRequest */

/**
 * The service, with its token. Share it: calls may be made at any time, and concurrently.
 */
export class Client {
  #calls;

  /**
   * @param {Calls} calls
   * @param {string | undefined} baseUrl
   * @private
   */
  constructor(calls, baseUrl) {
    this.#calls = calls;
    /**
     * The service's address, as in the config.
     *
     * @readonly
     */
    this.baseUrl = baseUrl;
  }

  /**
   * Loads the plugin, and has it validate the config. Sends nothing.
   *
   * @param {Config} config
   * @param {Options} [options]
   * @returns {Promise<Client>}
   * @throws {import('./error.js').RosteringError} if a required key is missing from the config, or a value is invalid
   * @throws {Error} if `options.plugin` is not the plugin, or has another contract
   */
  static async open(config, options = {}) {
    return new Client(await Calls.open(config, options), config.baseUrl);
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
   * @param {Body} [body]
   */
  async #send(call, input, options, body) {
    const { answer } = await this.#make(call, input, options, body);
    return toResponse(/** @type {import('./http.js').Answer} */ (answer));
  }

  /**
   * @param {string} call
   * @param {object} input
   * @param {CallOptions} options
   * @param {Body} [body]
   */
  #make(call, input, { now, ...options }, body) {
    const time = () => now ?? clock();
    return this.#calls.make(call, JSON.stringify({ ...input, now: time() }), { ...options, body, now: time });
  }
}

/** The time in Unix seconds. */
const clock = () => Math.floor(Date.now() / 1000);
