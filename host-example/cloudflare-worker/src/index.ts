// GET /jobs: the jobs, byte for byte as the service gives them.

import wasm from '../../../dist/rostering-nowasi.wasm';
import { readConfig, type Env } from './config.js';
import { SharedClient } from './isolate.js';
import { failure, problem } from './problem.js';

// snippet
let client: SharedClient | undefined; // of the isolate

export default {
  async fetch(request, env, context): Promise<Response> {
    if (new URL(request.url).pathname !== '/jobs') return problem(404);
    if (request.method !== 'GET') return problem(405, {}, { Allow: 'GET' });
    client ??= new SharedClient(wasm, readConfig(env), { kv: env.TOKENS, log });
    const jobs = client.listJobs();
    // When the client hangs up, its request is cancelled, also in a token request that others wait for.
    context.waitUntil(jobs.catch(() => {}));
    try {
      return new Response(await jobs, { headers });
    } catch (error) {
      return failure(error);
    }
  },
} satisfies ExportedHandler<Env>;
// end of snippet

const log = (level: 'debug' | 'info' | 'warn' | 'error', line: string) => console[level](line);

const headers = {
  'Content-Type': 'application/octet-stream', // the plugin hands on the body alone
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};
