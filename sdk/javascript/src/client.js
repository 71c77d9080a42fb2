/// <reference lib="esnext.disposable" preserve="true" />

import { toResponse } from './body.js';
import { Shared } from './shared.js';
import { checkValue, kind, text } from './check.js';
import { pluginConfig } from './config.js';
import { hasHeader, plainHeaders } from './http.js';
import { checkOptions } from './rules.js';
import { Token } from './token.js';

/** @import {Config} from './config.js' */
/** @import {Body, CallOptions, CloseOptions, Ids, Options, RequestHeaders, ServiceRequest, TokenRequest} from './options.js' */

/**
 * The calls of a {@link Client}, or of a fake in your tests.
 *
 * @typedef {Pick<Client, 'listJobs' | 'sendRequest'> & Record<'forCustomer' | 'forUser', (id: string | null) => JobsClient>} JobsClient
 */

/** Returns what a client shares with its views, for withToken. @type {(client: Client) => Shared} */
export let sharedOf;

/** A client of the service, which caches the token. Share one: calls may be made at any time, and concurrently. */
export class Client {
  static {
    sharedOf = (client) => Client.#of(client).#shared;
  }

  /** Returns the client, unless a method was called without it. @param {unknown} client @returns {Client} */
  static #of(client) {
    if (client instanceof Client) return client;
    throw new TypeError(
      `expected a client, not ${kind(client)}: call client.listJobs(), or pass () => client.listJobs()`,
    );
  }

  #shared;
  #ids;

  /** @param {Shared} shared @param {string | undefined} baseUrl @param {Ids} [ids] of a view @private */
  constructor(shared, baseUrl, ids) {
    if (!(shared instanceof Shared)) throw new TypeError('open a client with: await Client.open(config)');
    this.#shared = shared;
    this.#ids = ids;
    /** The service's URL, as in the config. @readonly */
    this.baseUrl = baseUrl;
  }

  /**
   * Opens a client: loads the plugin, and validates the config and the options. Sends nothing.
   *
   * @param {Config} config
   * @param {Options} [options]
   * @returns {Promise<Client>}
   * @throws {import('./error.js').RosteringError} if the config or the plugin is invalid
   */
  static async open(config, options = {}) {
    checkOptions('Client.open', options);
    return new Client(await Shared.open(pluginConfig(config), options), config.baseUrl);
  }

  /** Returns a view: this client, with another customer in its calls, or none. @param {string | null} customerId */
  forCustomer(customerId) {
    return Client.#of(this).#view('forCustomer', customerId, { customerId });
  }

  /** Returns a view: this client, with another user in its calls, or none. @param {string | null} userId */
  forUser(userId) {
    return Client.#of(this).#view('forUser', userId, { userId });
  }

  /** @param {string} method @param {unknown} id @param {Ids} ids */
  #view(method, id, ids) {
    if (id !== null && typeof id !== 'string') throw new TypeError(`${method} takes a string or null, not ${kind(id)}`);
    return new Client(this.#shared, this.baseUrl, { ...this.#ids, ...ids });
  }

  /**
   * Returns an access token for your own requests: the cached one, or a new one.
   *
   * @param {TokenRequest & CallOptions} [given]
   * @returns {Promise<Token>}
   */
  async getToken(given = {}) {
    checkOptions('getToken', given);
    const { force, refused, ...options } = given;
    if (force && refused !== undefined) throw new TypeError('getToken: set force or refused, not both');
    return new Token(await sharedOf(this).getToken({ force, refused }, options));
  }

  /**
   * Lists the jobs.
   *
   * @param {Ids & CallOptions & {headers?: RequestHeaders}} [given]
   * @returns {Promise<Response>} with a 2xx status, whose body is in memory
   */
  async listJobs(given = {}) {
    checkOptions('listJobs', given);
    const { customerId, userId, headers, ...options } = given;
    const client = Client.#of(this);
    return client.#send({ headers: client.#headers(headers) }, { customerId, userId }, undefined, options);
  }

  /**
   * Sends any request to the service.
   *
   * @param {ServiceRequest & Ids & CallOptions} given
   * @returns {Promise<Response>} with a 2xx status, or 304, whose body is in memory
   */
  async sendRequest(given) {
    checkOptions('sendRequest', given);
    const client = Client.#of(this);
    const { method, customerId, userId, json, searchParams, headers: own, ...options } = given;
    let { path, body } = options;
    let headers = client.#headers(own);
    if (path === undefined) throw new TypeError('sendRequest: path is missing');
    if (json !== undefined) {
      if (body != null) throw new TypeError('sendRequest: set json or body, not both');
      body = JSON.stringify(json);
      if (body === undefined) throw new TypeError(`sendRequest: json cannot be ${kind(json)}`);
      if (!hasHeader(headers ?? {}, 'content-type')) headers = { ...headers, 'Content-Type': 'application/json' };
    }
    const query = String(new URLSearchParams(searchParams));
    if (query) path += (path.includes('?') ? '&' : '?') + query;
    const present = body != null && body !== '';
    const input = {
      path,
      method: method && commonMethods.test(method) ? method.toUpperCase() : method,
      headers,
      body: present || undefined,
    };
    return client.#send(input, { customerId, userId }, present ? body : undefined, options);
  }

  /** Returns a call's own headers, and those of the client with other names. @param {RequestHeaders | undefined} given */
  #headers(given) {
    const inherited = Object.entries(this.#shared.headers);
    if (inherited.length === 0) return given && plainHeaders(given);
    const own = plainHeaders(given);
    return { ...Object.fromEntries(inherited.filter(([name]) => !hasHeader(own, name.toLowerCase()))), ...own };
  }

  /** Caches a token that another client with the same config obtained. @param {Token} token */
  async setToken(token) {
    if (!(token instanceof Token)) {
      throw new TypeError(`setToken takes a Token, not ${kind(token)}: use new Token(object)`);
    }
    sharedOf(this).setToken(token.toObject());
  }

  /** Changes the secret from the next token request on. If it is invalid, the one before stays. @param {string} secret */
  async setSecret(secret) {
    checkValue('setSecret: the secret', secret, text);
    sharedOf(this).setSecret(secret);
  }

  /** Returns counters and the state of the token. Sends nothing, and works after `close`, too. */
  status() {
    return sharedOf(this).status();
  }

  /** Forgets the token, and the backoff after a failed token request. */
  async clearToken() {
    sharedOf(this).clearToken();
  }

  /**
   * Closes the client, unless it is a view: waits for the calls in progress, and for what is being written to the store, a second
   * each.
   *
   * @param {CloseOptions} [options]
   */
  async close(options = {}) {
    checkOptions('close', options);
    if (!Client.#of(this).#ids) await this.#shared.close(options.timeoutMs);
  }

  /** Closes the client at the end of `await using`. */
  [Symbol.asyncDispose]() {
    return this.close();
  }

  /** @param {object} input @param {Ids} own @param {Body | null | undefined} body @param {CallOptions} options */
  async #send(input, own, body, options) {
    const { customerId = this.#ids?.customerId, userId = this.#ids?.userId } = own;
    return toResponse(
      await this.#shared.request({ ...input, customer_id: customerId, user_id: userId }, body, options),
    );
  }
}

const commonMethods = /^(delete|get|head|options|post|put)$/i; // which fetch takes in lower case, too
