// Returns the jobs. wrangler.jsonc has its settings.

import { Client, configFromEnv, RosteringError } from 'automatic-rostering';
import { DurableObjectStore, StoreEntry } from 'automatic-rostering/cloudflare';
export { StoreEntry }; // the class of the Durable Object

interface Env {
  TOKEN_STORE: DurableObjectNamespace<StoreEntry>; // and the ROSTERING_* variables
}

let client: Client | undefined; // one for all requests of the isolate

export default {
  async fetch(request, env): Promise<Response> {
    try {
      const opened =
        client ?? (await Client.open(configFromEnv(env), { store: new DurableObjectStore(env.TOKEN_STORE) }));
      client ??= opened; // the first of several: no request may await a promise of another
      return await client.listJobs({ signal: request.signal }); // ends when the client disconnects
    } catch (error) {
      if (!(error instanceof RosteringError)) throw error;
      if (!error.retryable) return new Response(String(error), { status: 502 });
      return new Response(String(error), { status: 503, headers: { 'Retry-After': `${error.retryAfter ?? 1}` } });
    }
  },
} satisfies ExportedHandler<Env>;
