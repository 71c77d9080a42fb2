import createPlugin from 'extism';
import { allowedHosts, pluginConfig } from './config.js';
import { explain, isPluginError } from './error.js';
import { answerFailures } from './fetch.js';
import { logger } from './log.js';
import { Token } from './token.js';
import { Turns } from './turns.js';

/** @typedef {import('./config.js').Config} Config */

/**
 * @typedef {object} Options
 * @property {number} [timeoutMs] Bounds one call with all its requests; 30,000 if not set. Waiting
 *   for other calls to end does not count.
 * @property {import('./fetch.js').Fetch} [fetch] Sends the requests, for a proxy or a certificate authority of
 *   your own.
 * @property {import('./log.js').Log} [log] Is given the plugin's log lines, which hold neither
 *   secrets nor tokens.
 * @property {boolean} [worker] Whether the plugin runs in a worker. If not set, it does where the
 *   runtime lacks JSPI (Node 20 and 22), because HTTP is not possible otherwise.
 */

/**
 * What differs from the config in one call. `null` leaves the header out.
 *
 * @typedef {{customerId?: string | null, userId?: string | null, signal?: AbortSignal}} JobsOptions
 */

/** @typedef {{force?: boolean, signal?: AbortSignal}} TokenOptions */

/**
 * One instance of the plugin. Its calls may be made at any time; they take turns, because an
 * instance does one at a time.
 */
export class Rostering {
  #module;
  #hasClock;
  #worker;
  #timeoutMs;
  #pluginOptions;
  #turns = new Turns();
  #closed = false;
  /** @type {import('extism').Plugin | undefined} */
  #plugin;
  /**
   * Ends the requests of the call under way.
   * @type {AbortSignal | undefined}
   */
  #signal;
  /**
   * Why the last request of the call under way got no answer.
   * @type {unknown}
   */
  #lost;

  /**
   * @param {WebAssembly.Module} module
   * @param {Config} config
   * @param {Options} options
   * @private
   */
  constructor(module, config, options) {
    this.#module = module;
    this.#hasClock = importsWasi(module);
    this.#worker = options.worker ?? !('Suspending' in WebAssembly);
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#pluginOptions = {
      useWasi: this.#hasClock,
      runInWorker: this.#worker,
      config: pluginConfig(config),
      allowedHosts: allowedHosts(config),
      fetch: this.#fetch(options.fetch ?? fetch),
      ...logger(options.log),
      // Deno's workers do not take the arguments that the SDK has for Node's.
      ...('Deno' in globalThis && { nodeWorkerArgs: { execArgv: [] } }),
    };
  }

  /**
   * Makes an instance of the plugin. It sends nothing yet: a wrong config shows at the first call.
   *
   * @param {BufferSource | WebAssembly.Module} wasm either build of the plugin
   * @param {Config} config
   * @param {Options} [options]
   * @returns {Promise<Rostering>}
   */
  static async open(wasm, config, options = {}) {
    const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
    const client = new Rostering(module, config, options);
    client.#plugin = await client.#newPlugin();
    return client;
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
   * Waits for the calls made so far, and frees the instance with its token. A worker keeps the
   * process alive until then.
   */
  close() {
    return this.#turns.take(async () => {
      this.#closed = true;
      await this.#drop();
    });
  }

  [Symbol.asyncDispose]() {
    return this.close();
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} input
   * @param {AbortSignal} [signal]
   */
  #call(name, input, signal) {
    return this.#turns.take(() => this.#withTimeout(() => this.#run(name, input), signal), signal);
  }

  /**
   * All that takes long in the plugin is its requests: ending them ends the call, and leaves the
   * instance usable, with its token. The SDK's own time-out needs a worker, and a new one after.
   *
   * @template T
   * @param {() => Promise<T>} work
   * @param {AbortSignal} [signal]
   */
  async #withTimeout(work, signal) {
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    const expire = () => controller.abort(new DOMException(`no answer within ${this.#timeoutMs} ms`, 'TimeoutError'));
    const timer = setTimeout(expire, this.#timeoutMs);
    signal?.addEventListener('abort', abort);
    this.#signal = controller.signal;
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} input
   */
  async #run(name, input) {
    if (this.#closed) throw new Error('the client is closed');
    this.#lost = undefined;
    this.#plugin ??= await this.#newPlugin();
    try {
      const output = await this.#plugin.call(name, JSON.stringify({ ...input, now: this.#now() }));
      return output?.bytes() ?? new Uint8Array();
    } catch (thrown) {
      if (this.#worker && !isPluginError(thrown)) await this.#drop();
      throw explain(thrown, this.#lost);
    }
  }

  /** In a worker, the call after one that the SDK has ended never returns; the next one gets a new instance. */
  async #drop() {
    const dead = this.#plugin;
    this.#plugin = undefined;
    await dead?.close();
  }

  /** The time, for the build that has no clock. */
  #now() {
    return this.#hasClock ? undefined : Math.floor(Date.now() / 1000);
  }

  #newPlugin() {
    return createPlugin({ wasm: [{ module: this.#module }] }, this.#pluginOptions);
  }

  /**
   * @param {import('./fetch.js').Fetch} send
   */
  #fetch(send) {
    return answerFailures(
      // A redirect could take the secret to another host, and the SDK looks at allowedHosts before
      // the first request alone.
      (url, init) => send(url, { ...init, redirect: 'manual', signal: this.#signal }),
      (cause) => {
        this.#lost = cause;
      },
    );
  }
}

/** @param {WebAssembly.Module} module */
function importsWasi(module) {
  return WebAssembly.Module.imports(module).some((i) => i.module === 'wasi_snapshot_preview1');
}
