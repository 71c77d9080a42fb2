// snippet
import { Client, configFromEnv, RosteringError } from 'automatic-rostering';
import { DurableObjectStore, StoreEntry } from 'automatic-rostering/cloudflare';

export { StoreEntry }; // the class of the Durable Object

let client: Client | undefined; // one for all requests of the isolate

export default {
  async fetch(request, env): Promise<Response> {
    try {
      client ??= await Client.open(configFromEnv(env), { store: new DurableObjectStore(env.TOKEN_STORE) });
      return await client.listJobs({ signal: request.signal });
    } catch (error) {
      if (!(error instanceof RosteringError)) throw error;
      return new Response(String(error), { status: error.retryable ? 503 : 502 });
    }
  },
} satisfies ExportedHandler<Env>;
// end of snippet

interface Env extends Record<string, unknown> {
  TOKEN_STORE: DurableObjectNamespace<StoreEntry>;
}
