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

/** An instance of the plugin, which does one call at a time. */
export class Plugin {
  #plugin;
  #inWorker;
  /** @type {Promise<unknown> | undefined} */
  #running;

  /**
   * @param {SdkPlugin} plugin
   * @param {boolean} inWorker
   * @private
   */
  constructor(plugin, inWorker) {
    this.#plugin = plugin;
    this.#inWorker = inWorker;
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
      // Deno's workers do not take the arguments that the SDK has for Node's.
      ...('Deno' in globalThis && { nodeWorkerArgs: { execArgv: [] } }),
    };
    const make = typeof source === 'function' ? source : () => createPlugin({ wasm: [wasm(source)] }, options);
    return new Plugin(await make(options), worker);
  }

  /**
   * @param {string} name of an export
   * @param {string | Uint8Array} input
   * @returns {Promise<Uint8Array | undefined>} the output
   * @throws what the SDK throws
   */
  async call(name, input) {
    // In the foreground, a call is over after some microtasks. To await its promise is not safe everywhere: in
    // workerd, that may go on in the wrong request.
    while (this.#running) await (this.#inWorker && this.#running);
    const running = this.#call(name, input);
    this.#running = running.catch(() => {});
    try {
      return await running;
    } finally {
      this.#running = undefined;
    }
  }

  /**
   * @param {string} name
   * @param {string | Uint8Array} input
   */
  async #call(name, input) {
    try {
      return (await this.#plugin.call(name, input))?.bytes();
    } finally {
      await this.#plugin.reset(); // or an SDK may keep the memory of each call, and send it to its worker
    }
  }

  async close() {
    while (this.#running) await this.#running;
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
