import { Rostering, type Config, type Options } from '../../node/rostering/index.js';
import { KeptToken } from './kv.js';
import { Turns } from './turns.js';

/** How long a call, what a turn holds beside the call, and the wait for a turn may take, in ms. */
interface Limits {
  callMs: number;
  graceMs: number;
  waitMs: number;
}

// In all, less than the 30 s that waitUntil lets a request live after its client has gone.
const usual: Limits = { callMs: 12_000, graceMs: 2_000, waitMs: 15_000 };

interface SharedOptions {
  /** Where isolates share the token; without it, each asks for its own. */
  kv?: KVNamespace | undefined;
  log?: NonNullable<Options['log']>;
  limits?: Limits;
}

/**
 * One client for all requests of an isolate, which take turns: the token lives in its instance of the
 * plugin, and an instance does one call at a time.
 */
export class SharedClient {
  #module: WebAssembly.Module;
  #config: Config;
  #options: SharedOptions;
  #limits: Limits;
  #turns: Turns;
  #open: { client: Rostering; kept: KeptToken | undefined } | undefined;

  /** @param module the plugin's build without WASI */
  constructor(module: WebAssembly.Module, config: Config, options: SharedOptions = {}) {
    this.#module = module;
    this.#config = config;
    this.#options = options;
    this.#limits = options.limits ?? usual;
    this.#turns = new Turns(this.#limits.callMs + this.#limits.graceMs, this.#limits.waitMs);
  }

  /** The service's answer, byte for byte. Throws a RosteringError, or a BusyError. */
  async listJobs(): Promise<Uint8Array> {
    const { body, save } = await this.#turns.take(async (broken) => {
      if (broken) this.#open = undefined; // it is still in the call of a request that was cancelled
      const { client, kept } = (this.#open ??= await this.#opened());
      await kept?.load(client);
      const body = await client.listJobs();
      const token = await kept?.changed(client);
      return { body, save: async () => token && kept?.save(token) };
    });
    await save();
    return body;
  }

  async #opened() {
    const { kv, log } = this.#options;
    const kept = kv && new KeptToken(kv);
    const config = kept ? { ...this.#config, refreshMargin: kept.margin } : this.#config;
    const options = { timeoutMs: this.#limits.callMs, ...(log && { log }) };
    return { client: await Rostering.open(this.#module, config, options), kept };
  }
}
