import { Rostering, type Config, type DriverOptions } from '../../node/rostering/index.js';
import { KeptToken } from './kv.js';
import { Turns } from './turns.js';

// A turn holds one token request; begin and resume take no time. It may end before a slow one does: the next
// in turn then asks too. The whole is less than the 30 s that waitUntil lets a request live after its client
// has gone.
const turnMs = 5_000;
const waitMs = 10_000;
const timeoutMs = 12_000;

interface SharedOptions extends DriverOptions {
  /** Where isolates share the token; without it, each asks for its own. */
  kv?: KVNamespace | undefined;
}

/**
 * One client for all requests of an isolate. Those to the service are under way at once; for the plugin, and
 * for a token, they take turns.
 */
export class SharedClient {
  #kept: KeptToken | undefined;
  #open: () => Promise<Rostering>;
  #client: Rostering | undefined;

  /** @param module the plugin's build without WASI */
  constructor(module: WebAssembly.Module, config: Config, { kv, ...options }: SharedOptions = {}) {
    this.#kept = kv && KeptToken.of(config, kv);
    const whole = this.#kept ? { ...config, refreshMargin: this.#kept.margin } : config;
    const usual = { timeoutMs, turns: new Turns(turnMs, waitMs) };
    this.#open = () => Rostering.openDriver(module, whole, { ...usual, ...options });
  }

  /** The service's answer, byte for byte. Throws a RosteringError, or an Error whose cause is a BusyError. */
  async listJobs(): Promise<Uint8Array> {
    const client = this.#client ?? this.#first(await this.#open());
    await this.#kept?.load(client);
    const body = await client.listJobs();
    await this.#kept?.save(client);
    return body;
  }

  /** Requests that come together may each open a client: all take the one that was there first. */
  #first(client: Rostering) {
    return (this.#client ??= client);
  }
}
