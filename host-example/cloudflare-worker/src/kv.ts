import { Token, type Rostering, type TokenObject } from '../../node/rostering/index.js';

// A token's cacheKey would be known too late: an isolate that starts has none. What is found under this
// one is not trusted, since the plugin refuses a token of another client, scope or token URL.
const key = 'token';
const kvMs = 1_500; // how long a request waits for KV
const shortestMs = 60_000; // KV's own limit for an expiry

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
  /** What the client has, as far as is known. */
  #token: Token | undefined;

  constructor(kv: KVNamespace) {
    this.#kv = kv;
  }

  /** Gives a client the token from KV, if its own will be renewed soon or it has none. */
  async load(client: Rostering): Promise<void> {
    if (this.#token && this.#token.expiresAt.getTime() - Date.now() > this.margin * 1_000) return;
    try {
      const read = this.#kv.get<TokenObject>(key, 'json');
      const stored = await Promise.race([read, scheduler.wait(kvMs)]);
      const newest = this.#token?.expiresAt.getTime() ?? 0;
      if (!stored || stored.expires_at * 1_000 <= newest) return;
      const token = new Token(stored);
      await client.setToken(token);
      this.#token = token;
    } catch (error) {
      // A SyntaxError would quote what is there.
      console.warn(`no token from KV: ${error instanceof SyntaxError ? 'it is no JSON' : String(error)}`);
    }
  }

  /** The client's token, if it is not the one that KV has. Sends nothing while the client has one. */
  async changed(client: Rostering): Promise<Token | undefined> {
    const token = await client.getToken().catch(() => undefined); // the call has succeeded without
    if (!token || token.accessToken === this.#token?.accessToken) return undefined;
    this.#token = token;
    return token;
  }

  /** Puts a token into KV until it expires. */
  async save(token: Token): Promise<void> {
    const end = token.expiresAt.getTime();
    if (end - Date.now() < shortestMs) return;
    try {
      const put = this.#kv.put(key, JSON.stringify(token.toObject()), { expiration: Math.floor(end / 1_000) });
      await Promise.race([put, scheduler.wait(kvMs)]);
    } catch (error) {
      console.warn(`no token into KV: ${String(error)}`);
    }
  }
}
