// What a Worker of a user is; ../test-package.sh runs it with the package.

// snippet
import { Rostering } from 'automatic-rostering';
import { DurableObjectStore, StoreEntry } from 'automatic-rostering/cloudflare';

export { StoreEntry }; // the class of the Durable Object

let client: Rostering | undefined; // one for all requests of the isolate

export default {
  async fetch(request, env, context): Promise<Response> {
    const opened = client ?? (await open(env));
    client ??= opened; // the first of several: no request may await a promise of another one
    return client.listJobs({
      signal: request.signal, // ends the call when its client hangs up,
      waitUntil: (section) => context.waitUntil(section), // but not a token request that others wait for
    });
  },
} satisfies ExportedHandler<Env>;
// end of snippet

interface Env {
  ROSTERING_AUTH_URL: string;
  ROSTERING_BASE_URL: string;
  ROSTERING_CLIENT_ID: string;
  ROSTERING_CLIENT_SECRET: string;
  ROSTERING_CUSTOMER_ID: string;
  ROSTERING_USER_ID: string;
  TOKEN_STORE: DurableObjectNamespace<StoreEntry>;
}

function open(env: Env): Promise<Rostering> {
  const config = {
    environment: 'stage',
    authUrl: env.ROSTERING_AUTH_URL,
    baseUrl: env.ROSTERING_BASE_URL,
    clientId: env.ROSTERING_CLIENT_ID,
    clientSecret: env.ROSTERING_CLIENT_SECRET,
    customerId: env.ROSTERING_CUSTOMER_ID,
    userId: env.ROSTERING_USER_ID,
  } as const;
  return Rostering.open(config, { store: new DurableObjectStore(env.TOKEN_STORE), logger: console });
}
