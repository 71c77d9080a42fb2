import type { Config } from '../../node/rostering/index.js';

/** What wrangler.jsonc gives the Worker, and the secret. A missing setting is an error that names it. */
export interface Env {
  ROSTERING_AUTH_URL?: string;
  ROSTERING_BASE_URL?: string;
  ROSTERING_ENVIRONMENT?: string;
  ROSTERING_CLIENT_ID?: string;
  ROSTERING_CLIENT_SECRET?: string;
  ROSTERING_CUSTOMER_ID?: string;
  ROSTERING_USER_ID?: string;
  /** Where the isolates share their token. */
  TOKENS?: KVNamespace;
}

/** The plugin judges it at the first call, and takes an empty value for a missing one. */
export function readConfig(env: Env): Config {
  return {
    authUrl: env.ROSTERING_AUTH_URL ?? '',
    baseUrl: env.ROSTERING_BASE_URL ?? '',
    environment: env.ROSTERING_ENVIRONMENT ?? '',
    clientId: env.ROSTERING_CLIENT_ID ?? '',
    clientSecret: env.ROSTERING_CLIENT_SECRET ?? '',
    customerId: env.ROSTERING_CUSTOMER_ID ?? '',
    userId: env.ROSTERING_USER_ID ?? '',
  };
}
