import { inside, readPlugin } from '#inside';
import createPlugin from 'extism';
import { guardedLogger } from './guard.js';

/** @typedef {import('./options.js').SdkOptions} SdkOptions */
/** @typedef {import('./options.js').SdkPlugin} SdkPlugin */
/** @typedef {import('./options.js').Source} Source */

/** An instance of the plugin. Its calls take turns, because the SDK mixes up calls that overlap. */
export class Plugin {
  #plugin;
  #busy = false;
  /** @type {(() => void)[]} */
  #waiting = [];

  /**
   * @param {SdkPlugin} plugin
   * @private
   */
  constructor(plugin) {
    this.#plugin = plugin;
  }

  /**
   * Opens the plugin of the options, or the one in the package.
   *
   * @param {Record<string, string>} config as the plugin reads it
   * @param {{plugin?: Source | undefined, worker?: boolean | undefined,
   *   logger?: import('./options.js').Logger | undefined}} options
   */
  static async open(config, { plugin: source, worker = false, logger }) {
    /** @type {SdkOptions} */
    const options = {
      runInWorker: worker,
      config: Object.fromEntries(Object.entries(config).filter(([, value]) => value !== '')), // @extism/extism fails over it
      allowedHosts: [], // the plugin sends nothing
      logger: /** @type {Console} */ (guardedLogger(logger ?? console)),
      logLevel: logger ? 'debug' : 'silent',
      // Deno's workers do not accept the arguments that the SDK passes to Node's.
      ...('Deno' in globalThis && { nodeWorkerArgs: { execArgv: [] } }),
    };
    if (typeof source === 'function') return new Plugin(await source(options));
    const module = await compile(/** @type {Exclude<Source, Function>} */ (source ?? (await inside())));
    return new Plugin(await createPlugin({ wasm: [{ module }] }, options));
  }

  /**
   * Calls an export. Unless it runs in a worker, that takes only microtasks, so no request waits for one of another request,
   * which workerd forbids.
   *
   * @param {string} name of an export
   * @param {string | Uint8Array} input
   * @returns {Promise<Uint8Array | undefined>} the output
   * @throws what the SDK throws
   */
  async call(name, input) {
    if (this.#busy) await new Promise((/** @type {(_?: unknown) => void} */ turn) => this.#waiting.push(turn));
    this.#busy = true;
    try {
      return (await this.#plugin.call(name, input))?.bytes();
    } finally {
      // Or the SDK would keep the memory of each call, and send all of it to its worker.
      await this.#plugin.reset().catch(() => {});
      const turn = this.#waiting.shift();
      if (turn) turn();
      else this.#busy = false;
    }
  }

  async close() {
    await this.#plugin.close();
  }
}

/**
 * @param {Exclude<Source, Function>} source
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  const isPath = typeof source === 'string' || source instanceof URL;
  const bytes = isPath ? await readPlugin(source) : source;
  return WebAssembly.compile(/** @type {BufferSource} */ (bytes)).catch((cause) => {
    throw new Error('the file is not the plugin: it is not WebAssembly', { cause });
  });
}
