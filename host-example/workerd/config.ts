import { configFromEnv, type Config, type Store } from 'automatic-rostering';
import { DurableObjectStore, KvStore, type StoreEntry } from 'automatic-rostering/cloudflare';

/** The ROSTERING_* variables of wrangler.service.jsonc, the secret, and the bindings for a store. */
export interface Env extends Record<string, unknown> {
  TOKEN_STORE?: DurableObjectNamespace<StoreEntry>;
  TOKENS?: KVNamespace;
}

export function readConfig(env: Env): Config {
  return { ...configFromEnv(env), ...(env.TOKENS && { refreshMargin: KvStore.randomMargin() }) };
}

export function findStore({ TOKEN_STORE, TOKENS }: Env): Store | undefined {
  if (TOKEN_STORE) return new DurableObjectStore(TOKEN_STORE);
  return TOKENS && new KvStore(TOKENS);
}
