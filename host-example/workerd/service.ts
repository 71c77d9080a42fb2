// GET /jobs returns the jobs, byte for byte as the service does.

import { Client } from 'automatic-rostering';
import { findStore, readConfig, type Env } from './config.js';
import { failure, problem } from './problem.js';

export { StoreEntry } from 'automatic-rostering/cloudflare';

let client: Client | undefined; // one for all requests of the isolate

export default {
  async fetch(request, env): Promise<Response> {
    if (new URL(request.url).pathname !== '/jobs') return problem(404);
    if (request.method !== 'GET') return problem(405, {}, { Allow: 'GET' });
    try {
      const opened = client ?? (await open(env));
      client ??= opened; // the first of several: no request may await a promise of another
      const jobs = await client.listJobs({
        signal: request.signal, // ends the call when the client disconnects, but not a token request that others wait for
      });
      return withHeaders(jobs);
    } catch (error) {
      return failure(error);
    }
  },
} satisfies ExportedHandler<Env>;

function open(env: Env): Promise<Client> {
  const store = findStore(env);
  return Client.open(readConfig(env), { logger: console, ...(store && { store }) });
}

function withHeaders({ body, headers }: Response): Response {
  const type = headers.get('Content-Type') ?? 'application/octet-stream';
  return new Response(body, {
    headers: { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' },
  });
}
