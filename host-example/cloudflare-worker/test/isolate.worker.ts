// The Worker without waitUntil, so that a call dies with its request, and without KV.

import wasm from '../../../dist/rostering-nowasi.wasm';
import { readConfig, type Env } from '../src/config.js';
import { SharedClient } from '../src/isolate.js';

let client: SharedClient | undefined;

export default {
  async fetch(_request, env): Promise<Response> {
    client ??= new SharedClient(wasm, readConfig(env), { limits: { callMs: 500, graceMs: 100, waitMs: 20_000 } });
    return new Response(await client.listJobs());
  },
} satisfies ExportedHandler<Env>;
