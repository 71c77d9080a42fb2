import createPlugin from 'extism';
import { pluginConfig } from './config.js';
import { within } from './deadline.js';
import { drive } from './drive.js';
import { explain } from './error.js';
import { logger } from './log.js';
import { now, usesWasi } from './plugin.js';
import { send } from './send.js';
import { Turns } from './turns.js';

/** @typedef {import('./client.js').DriverOptions} Options */

const driven = ['list_jobs', 'get_token', 'send_request'];

/**
 * The driver: one instance of the plugin without HTTP, whose requests are sent here. It runs in the
 * foreground everywhere, since it waits for nothing.
 */
export class Driver {
  #plugin;
  #fetch;
  #timeoutMs;
  #turns;

  /**
   * @param {import('extism').Plugin} plugin
   * @param {Options} options
   * @private
   */
  constructor(plugin, options) {
    this.#plugin = plugin;
    this.#fetch = options.fetch ?? fetch;
    this.#timeoutMs = options.timeoutMs;
    this.#turns = options.turns ?? new Turns();
  }

  /**
   * @param {WebAssembly.Module} module
   * @param {import('./config.js').Config} config
   * @param {Options} options
   * @returns {Promise<Driver>}
   */
  static async open(module, config, options) {
    const pluginOptions = { useWasi: usesWasi(module), config: pluginConfig(config), ...logger(options.log) };
    return new Driver(await createPlugin({ wasm: [{ module }] }, pluginOptions), options);
  }

  /**
   * @param {string} name
   * @param {Record<string, unknown>} [input]
   * @param {AbortSignal} [signal]
   * @returns {Promise<Uint8Array>}
   */
  async call(name, input, signal) {
    /** @type {unknown} */
    let lost;
    /** @type {import('./drive.js').Parts['send']} */
    const sending = async (request, ends) => {
      const answer = await this.#send(request, ends);
      lost = answer.lost;
      return answer;
    };
    const parts = { plugin: this.#plugin, turns: this.#turns, send: sending, now };
    try {
      return await within(this.#timeoutMs, signal, (ends) =>
        driven.includes(name) ? drive(parts, name, input, ends) : this.#export(name, input, ends),
      );
    } catch (thrown) {
      throw signal?.aborted && thrown === signal.reason ? thrown : explain(thrown, lost);
    }
  }

  close() {
    return this.#turns.take(() => this.#plugin.close());
  }

  /**
   * An export that sends nothing.
   *
   * @param {string} name
   * @param {Record<string, unknown> | undefined} input
   * @param {AbortSignal} signal
   */
  #export(name, input, signal) {
    return this.#turns.take(async () => {
      const output = await this.#plugin.call(name, input && JSON.stringify({ ...input, now: now() }));
      return output?.bytes() ?? new Uint8Array();
    }, signal);
  }

  /**
   * A request without a signal, for a token, has a time-out of its own.
   *
   * @param {import('./drive.js').Request} request
   * @param {AbortSignal} [signal]
   */
  #send(request, signal) {
    if (signal) return send(this.#fetch, request, signal);
    return within(this.#timeoutMs, undefined, (ends) => send(this.#fetch, request, ends));
  }
}
