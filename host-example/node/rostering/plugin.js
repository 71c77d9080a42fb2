import createPlugin from 'extism';
import { pluginConfig } from './config.js';

/** @typedef {import('extism').Plugin} SdkPlugin */
/** @typedef {import('extism').ExtismPluginOptions} SdkOptions */

/**
 * The plugin: a path, a URL, the bytes or a compiled module of the build without WASI; or a function that makes an
 * instance of it by an SDK of your own.
 *
 * @typedef {string | URL | BufferSource | WebAssembly.Module | ((options: SdkOptions) => Promise<SdkPlugin>)} Source
 */

/** @typedef {Pick<Console, 'debug' | 'info' | 'warn' | 'error'>} Logger */

/** An instance of the plugin. Its calls take turns, because the SDK mixes up those that overlap. */
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
   * @param {import('./config.js').Config} config
   * @param {{plugin?: Source | undefined, worker?: boolean | undefined, logger?: Logger | undefined}} options
   */
  static async open(config, { plugin: source, worker = false, logger }) {
    /** @type {SdkOptions} */
    const options = {
      runInWorker: worker,
      config: pluginConfig(config),
      allowedHosts: [], // the plugin sends nothing
      logger: /** @type {Console} */ (logger ?? console),
      logLevel: logger ? 'debug' : 'silent',
      // Deno's workers do not accept the arguments that the SDK passes to Node's.
      ...('Deno' in globalThis && { nodeWorkerArgs: { execArgv: [] } }),
    };
    const make = typeof source === 'function' ? source : () => createPlugin({ wasm: [wasm(source)] }, options);
    return new Plugin(await make(options));
  }

  /**
   * In the foreground a turn takes only microtasks, so a request never waits for the call of another one, which workerd
   * forbids.
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
      // Without it, the SDK keeps the memory of each call, and sends all of it to its worker.
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
 * Where the SDK finds the plugin. It reads a file by its path alone.
 *
 * @param {Exclude<Source, Function> | undefined} source
 * @returns {import('extism').ManifestWasm}
 */
function wasm(source = new URL('rostering-nowasi.wasm', import.meta.url)) {
  if (source instanceof WebAssembly.Module) return { module: source };
  if (source instanceof URL) {
    return source.protocol === 'file:' ? { path: /** @type {any} */ (source) } : { url: source };
  }
  if (typeof source === 'string') return { path: source };
  return { data: source instanceof ArrayBuffer ? new Uint8Array(source) : /** @type {Uint8Array} */ (source) };
}
