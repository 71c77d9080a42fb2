import { DurableObjectStore, KvStore, type StoreEntry } from '../../node/rostering/cloudflare.js';
import type { Config, Environment, Store } from '../../node/rostering/index.js';

/** The bindings of wrangler.jsonc, and the secret. A missing setting is an error that names it. */
export interface Env {
  ROSTERING_AUTH_URL?: string;
  ROSTERING_BASE_URL?: string;
  ROSTERING_ENVIRONMENT?: string;
  ROSTERING_CLIENT_ID?: string;
  ROSTERING_CLIENT_SECRET?: string;
  ROSTERING_CUSTOMER_ID?: string;
  ROSTERING_USER_ID?: string;
  /** Where the isolates share a token: one of these, or none. */
  TOKEN_STORE?: DurableObjectNamespace<StoreEntry>;
  TOKENS?: KVNamespace;
}

/** The plugin validates it when the client is opened, and treats an empty value as missing. */
export function readConfig(env: Env): Config {
  return {
    authUrl: env.ROSTERING_AUTH_URL ?? '',
    baseUrl: env.ROSTERING_BASE_URL ?? '',
    environment: (env.ROSTERING_ENVIRONMENT ?? '') as Environment,
    clientId: env.ROSTERING_CLIENT_ID ?? '',
    clientSecret: env.ROSTERING_CLIENT_SECRET ?? '',
    customerId: env.ROSTERING_CUSTOMER_ID ?? '',
    userId: env.ROSTERING_USER_ID ?? '',
    ...(env.TOKENS && { refreshMargin: KvStore.randomMargin() }),
  };
}

export function findStore({ TOKEN_STORE, TOKENS }: Env): Store | undefined {
  if (TOKEN_STORE) return new DurableObjectStore(TOKEN_STORE);
  return TOKENS && new KvStore(TOKENS);
}
