import { discard } from './body.js';
import { checkValue, kind, isStream, payload as isPayload } from './check.js';
import { isLambda, waitUntil as ofRuntime } from '#inside';
import { sleep, Task, wakeAll } from './deadline.js';
import { pluginFailed, RosteringError, timedOut, toError } from './error.js';
import { Holder } from './holder.js';
import { defaultFetch, described, exchange, isResult, plainHeaders, signed } from './http.js';
import { openPlugin } from './plugin.js';
import { toStatus } from './status.js';

/** @import {Outcome, Request} from './http.js' */
/** @import {Body, CallOptions, Options, TokenRequest} from './options.js' */
/** @import {TokenObject} from './token.js' */

/** What a call of the plugin may need: what fetch threw, and whether a store failed. @typedef {{thrown?: unknown, isOfStore?: boolean}} Known */

/**
 * What came of a request with a token.
 *
 * @template R
 * @typedef {{response: R, tokens: string[], error?: unknown}} Sent `error` is why there was no other token after a 401
 */

const mostRequests = 256; // to keep
const mostInput = 512 * 1024; // characters; valid ones are shorter
const mostSends = 3; // the first other token may come from another client, and have been revoked, too
const maxErrorBody = 4 * 1024 + 1; // bytes of it that the plugin reads

/** What a client and its views share. */
export class Shared {
  #options;
  #holder = new Holder(this);
  #running = /** @type {Set<Task>} */ (new Set());
  #closing = /** @type {Set<() => void>} */ (new Set()); // wake those who wait for the calls that run
  #isClosed = false;
  #isLambda = isLambda(); // which freezes the process after each call
  #began = 0;
  #failed = /** @type {import('./status.js').Status['failedCalls']} */ ({});
  /** @type {Map<string, Request>} what calls send, by their input */
  #requests = new Map();

  /** How many requests with a token were sent. */
  sent = 0;

  /** @param {import('./plugin.js').Plugin} plugin @param {Options} options */
  constructor(plugin, options) {
    this.plugin = plugin;
    this.#options = options;
    this.fetch = options.fetch ?? defaultFetch;
    this.headers = plainHeaders(options.headers);
    this.waitUntil = options.waitUntil ?? ofRuntime;
    this.store = options.store;
  }

  /**
   * Opens the plugin, and has it validate the config.
   *
   * @param {Record<string, string>} config as the plugin reads it
   * @param {Options} options
   */
  static async open(config, options) {
    const shared = new Shared(await openPlugin(options.plugin), options);
    shared.#configure(config);
    const { headers } = shared;
    if (Object.keys(headers).length > 0 && config.base_url)
      shared.call('request', { headers, customer_id: null, user_id: null });
    return shared;
  }

  /** Returns a token. @param {TokenRequest} wanted @param {CallOptions} options */
  async getToken({ force, refused }, options) {
    if (refused !== undefined) this.#holder.refuse(refused);
    const { waitUntil } = options;
    const work = (/** @type {Task} */ task) =>
      force ? this.#holder.force(task, waitUntil) : this.#holder.token(task, refused, waitUntil);
    return this.#run(options, work, true);
  }

  /**
   * Returns a token for a program's own request, which `status` does not count as a call.
   *
   * @param {string | undefined} mine its last token, if the service refused it
   * @param {CallOptions} options
   */
  token(mine, options) {
    return this.#run(options, (task) => this.#holder.token(task, mine, options.waitUntil));
  }

  /**
   * Sends a request to the service, and returns the result.
   *
   * @param {{path?: string, [field: string]: unknown}} input of the plugin
   * @param {Body | null | undefined} body
   * @param {CallOptions} options
   * @returns {Promise<Outcome>}
   */
  async request(input, body, options) {
    let isUnused = isStream(body);
    const work = async (/** @type {Task} */ task) => {
      const { waitUntil } = options;
      const request = this.#request(input);
      const limits = { read: maxErrorBody, most: this.#options.maxBody ?? 64 * 1024 * 1024 };
      let took = 0; // ms, the last request
      const getToken = (/** @type {string | undefined} */ mine) => this.#holder.token(task, mine, waitUntil);
      const attempt = async (/** @type {string} */ accessToken) => {
        const { method, url } = request;
        const headers = { ...request.headers, Authorization: `Bearer ${accessToken}` };
        isUnused = false;
        const payload = typeof body === 'function' ? await task.until((async () => body())()) : body;
        if (typeof body === 'function') checkValue('sendRequest: what body returns', payload, isPayload);
        const began = performance.now();
        this.sent++;
        try {
          return await task.until(exchange(this.fetch, { method, url, headers, body: payload }, task.signal, limits));
        } catch (cause) {
          if (task.hasLeft || cause instanceof RosteringError) throw cause;
          return { status: 0, cause };
        } finally {
          took = performance.now() - began;
        }
      };
      const sent = await this.send(getToken, attempt, !isStream(body));
      if (isResult(sent.response)) return sent.response;
      const { path = '/jobs' } = input;
      throw this.#explain(sent, { method: request.method, path, milliseconds: Math.round(took) }, isStream(body));
    };
    try {
      return await this.#run(options, work, true);
    } finally {
      if (isUnused) discard(body);
    }
  }

  /**
   * Sends a request, again with another token while the service refuses the token.
   *
   * @template {{status: number}} R
   * @param {(mine?: string) => Promise<TokenObject>} getToken
   * @param {(accessToken: string) => Promise<R>} attempt sends it once
   * @param {boolean} isRepeatable
   * @returns {Promise<Sent<R>>}
   * @throws {unknown} if there is no first token
   */
  async send(getToken, attempt, isRepeatable) {
    const tokens = [];
    let { access_token: token } = await getToken();
    for (;;) {
      const isFirst = tokens.push(token) === 1;
      const response = await attempt(token);
      if (response.status !== 401) {
        if (response.status > 0) this.#holder.accept(token);
        return { response, tokens };
      }
      this.#holder.refuse(token, isFirst && isRepeatable);
      if (!isRepeatable || tokens.length === mostSends) return { response, tokens };
      try {
        ({ access_token: token } = await getToken(token));
      } catch (error) {
        return { response, tokens, error };
      }
      void this.#log('warn', 'the service refused the token; the request is retried with another one');
    }
  }

  /** Returns what a call sends, without the token. @param {object} input @returns {Request} */
  #request(input) {
    const key = JSON.stringify(input);
    const kept = this.#requests.get(key);
    if (kept) return kept;
    if (key.length > mostInput) {
      const message = 'the path, the headers and the ids are too long: shorten them';
      throw new RosteringError({ code: 'invalid_input', message, retryable: false });
    }
    const request = signed(this.call('request', input));
    if (this.#requests.size === mostRequests) this.#requests.clear();
    this.#requests.set(key, request);
    return request;
  }

  /**
   * Returns the error of a request without a result. That of a flow which found that new tokens are refused, too, shows the
   * response that this call got.
   *
   * @param {Sent<Outcome>} sent
   * @param {{method: string, path: string, milliseconds: number}} request
   * @param {boolean} isOnce whether its body can be sent only once
   */
  #explain({ response, tokens, error }, request, isOnce) {
    const isRefusal = error instanceof RosteringError && error.code === 'service_unauthorized';
    if (error !== undefined && !isRefusal) return error;
    const now = this.now(); // for a Retry-After that is a date
    const fields = this.call('explain', { ...described(response), tokens, ...request, now });
    if (isOnce && response.status === 401)
      fields.message += ' (the body can be read only once, so the request was not sent again)';
    if (isRefusal) Object.assign(fields, { retryable: error.retryable, retry_after: error.retryAfter });
    return toError(fields, response.cause);
  }

  /** @template T @param {CallOptions} options @param {(task: Task) => Promise<T>} work @param {boolean} [isCall] */
  async #run({ signal, timeoutMs = this.#options.timeoutMs ?? 30_000 }, work, isCall = false) {
    if (this.#isClosed) throw closed();
    return Task.run(timeoutMs, timedOut, signal, async (task) => {
      this.#running.add(task);
      if (isCall) this.#began++;
      try {
        return await work(task);
      } catch (error) {
        if (isCall && error instanceof RosteringError) this.#failed[error.code] = (this.#failed[error.code] ?? 0) + 1;
        throw error;
      } finally {
        if (this.#isLambda) await this.#holder.settle(task).catch(() => {}); // the call has its result
        this.#running.delete(task);
        if (this.#running.size === 0) wakeAll(this.#closing);
      }
    });
  }

  /** @param {TokenObject} token */
  setToken(token) {
    if (this.#isClosed) throw closed();
    this.call('set_token', { ...token, now: this.now() });
    this.#holder.forget(true);
  }

  /** @param {string} secret */
  setSecret(secret) {
    if (this.#isClosed) throw closed();
    this.#configure({ client_secret: secret });
  }

  /** Changes the config. If it is invalid, the one before stays. @param {Record<string, string>} config */
  #configure(config) {
    const before = this.plugin.state;
    try {
      this.call('configure', config);
      this.call('check');
    } catch (error) {
      this.plugin.state = before;
      throw error;
    }
  }

  status() {
    const own = { renewing: this.#holder.flow !== undefined, calls: this.#began, service_requests: this.sent };
    return toStatus({ ...this.call('status', { now: this.now() }), ...own, failed_calls: { ...this.#failed } });
  }

  clearToken() {
    if (this.#isClosed) throw closed();
    this.call('clear_token');
    this.#holder.forget(false);
  }

  /**
   * Waits for the calls that have begun, then ends the flow that no call waits for.
   *
   * @param {number} [timeoutMs] cancels the calls after this time
   */
  async close(timeoutMs = Infinity) {
    this.#isClosed = true;
    if (this.#running.size > 0) await sleep(timeoutMs, undefined, this.#closing);
    for (const task of this.#running) task.leave(closed()); // nothing waits: calls that workerd has canceled do not end
    this.#running.clear();
    wakeAll(this.#closing);
    await this.#holder.written().catch(() => {}); // the clock of the options may throw
    this.#holder.abandon();
  }

  /** Returns the time in Unix seconds. @throws {TypeError} if the clock of the options has none */
  now() {
    const { clock = Date.now } = this.#options;
    const time = clock();
    if (Number.isFinite(time)) return Math.floor(time / 1000);
    throw new TypeError(`the clock of the options must return milliseconds, not ${kind(time)}`);
  }

  /**
   * Calls an export.
   *
   * @param {string} name
   * @param {object} [input]
   * @param {Known} [known]
   * @returns {any} its output
   */
  call(name, input, { thrown, isOfStore = false } = {}) {
    let result;
    try {
      result = this.plugin.call(name, input, (level, line) => void this.#log(level, line, isOfStore));
    } catch (failure) {
      throw pluginFailed(failure);
    }
    if (result.failed) throw toError(result.output, thrown);
    return result.output;
  }

  /**
   * Logs a line. That a store fails is shown without a logger, too.
   *
   * @param {'debug' | 'warn'} level
   * @param {string} line
   * @param {boolean} [isOfStore]
   */
  async #log(level, line, isOfStore = false) {
    const { logger } = this.#options;
    await undefined; // until the result of the plugin counts, which a logger may undo with clearToken
    try {
      if (logger) await logger[level](line);
      else if (isOfStore && level === 'warn') console.warn(line);
    } catch {
      // There is nowhere to report it.
    }
  }
}

const closed = () => new DOMException('the client is closed', 'AbortError');
