import { cacheKey } from '../../node/rostering/cache-key.js';
import { Token, type Config, type Rostering, type TokenObject } from '../../node/rostering/index.js';

// KV's own limits.
const longestKey = 512; // bytes; a cacheKey is ASCII
const shortestMs = 60_000; // for an expiry

const kvMs = 1_500; // how long a request waits for KV
const aheadMs = 2_000;

/**
 * The token in KV, where the next isolate finds it. KV saves token requests and is never needed: what goes
 * wrong with it is logged, and the plugin asks for a token itself.
 */
export class KeptToken {
  /**
   * How many seconds before its end this isolate looks for a newer token, and has the plugin renew it if
   * there is none. Not the same in all, so that the first one renews it and the others find it.
   */
  readonly margin = 60 + Math.floor(240 * Math.random());
  #kv: KVNamespace;
  #key: string;
  /** What the client has, as far as is known. */
  #token: Token | undefined;
  /** When to look for a newer one, in ms since 1970. */
  #lookAt = 0;

  private constructor(kv: KVNamespace, key: string) {
    this.#kv = kv;
    this.#key = key;
  }

  /** The token of a config; none if its key is too long for KV. */
  static of(config: Config, kv: KVNamespace): KeptToken | undefined {
    const key = cacheKey(config);
    if (key.length <= longestKey) return new KeptToken(kv, key);
    console.warn(`the token is not shared: its key has ${key.length} bytes, and KV takes ${longestKey}`);
    return undefined;
  }

  /** Gives a client the token from KV, if its own will be renewed soon or it has none. */
  async load(client: Rostering): Promise<void> {
    if (Date.now() < this.#lookAt) return;
    try {
      const read = this.#kv.get<TokenObject>(this.#key, 'json');
      const stored = await Promise.race([read, scheduler.wait(kvMs)]);
      const newest = this.#token?.expiresAt.getTime() ?? 0;
      if (!stored || stored.expires_at * 1_000 <= newest) return;
      const token = new Token(stored);
      await client.setToken(token);
      this.#note(token);
    } catch (error) {
      // A SyntaxError would quote what is there.
      console.warn(`no token from KV: ${error instanceof SyntaxError ? 'it is no JSON' : String(error)}`);
    }
  }

  /** Puts the client's token into KV until it expires, if KV has not given it. */
  async save(client: Rostering): Promise<void> {
    const token = await client.getToken().catch(() => undefined); // sends nothing while there is one
    if (!token || token.accessToken === this.#token?.accessToken) return;
    this.#note(token);
    const end = token.expiresAt.getTime();
    if (end - Date.now() < shortestMs) return;
    try {
      const put = this.#kv.put(this.#key, JSON.stringify(token.toObject()), { expiration: end / 1_000 });
      await Promise.race([put, scheduler.wait(kvMs)]);
    } catch (error) {
      console.warn(`no token into KV: ${String(error)}`);
    }
  }

  /** The plugin renews a token of a short life when half of it is over: KV has its turn before. */
  #note(token: Token): void {
    const end = token.expiresAt.getTime();
    this.#token = token;
    this.#lookAt = end - Math.min(this.margin * 1_000, (end - Date.now()) / 2 + aheadMs);
  }
}
