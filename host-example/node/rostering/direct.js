import createPlugin from 'extism';
import { allowedHosts, pluginConfig } from './config.js';
import { within } from './deadline.js';
import { explain, isPluginError } from './error.js';
import { answerFailures } from './fetch.js';
import { logger } from './log.js';
import { now, usesWasi } from './plugin.js';
import { Turns } from './turns.js';

/** @typedef {import('./client.js').Options} Options */

/**
 * The direct form: one instance of the plugin that sends its requests itself. Its calls take turns,
 * because an instance does one at a time.
 */
export class Direct {
  #module;
  #hasClock;
  #worker;
  #timeoutMs;
  #pluginOptions;
  #turns = new Turns();
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
   * @param {import('./config.js').Config} config
   * @param {Options} options
   * @private
   */
  constructor(module, config, options) {
    this.#module = module;
    this.#hasClock = usesWasi(module);
    this.#worker = options.worker ?? !('Suspending' in WebAssembly);
    this.#timeoutMs = options.timeoutMs;
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
   * @param {WebAssembly.Module} module
   * @param {import('./config.js').Config} config
   * @param {Options} options
   * @returns {Promise<Direct>}
   */
  static async open(module, config, options) {
    const direct = new Direct(module, config, options);
    direct.#plugin = await direct.#newPlugin();
    return direct;
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} [input]
   * @param {AbortSignal} [signal]
   * @returns {Promise<Uint8Array>}
   */
  call(name, input, signal) {
    // All that takes long in the plugin is its requests: ending them ends the call, and leaves the
    // instance usable, with its token. The SDK's own time-out needs a worker, and a new one after.
    const work = (/** @type {AbortSignal} */ signal) => {
      this.#signal = signal;
      return this.#run(name, input);
    };
    return this.#turns.take(() => within(this.#timeoutMs, signal, work), signal);
  }

  close() {
    return this.#turns.take(() => this.#drop());
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} [input]
   */
  async #run(name, input) {
    this.#lost = undefined;
    this.#plugin ??= await this.#newPlugin();
    try {
      const output = await this.#plugin.call(name, input && JSON.stringify({ ...input, now: this.#now() }));
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
    return this.#hasClock ? undefined : now();
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
