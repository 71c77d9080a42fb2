// The Worker without waitUntil, so that a call dies with its request, and without KV.

import wasm from '../../../dist/rostering-nowasi.wasm';
import { readConfig, type Env } from '../src/config.js';
import { SharedClient } from '../src/isolate.js';
import { failure } from '../src/problem.js';
import { Turns } from '../src/turns.js';

interface Limits {
  TURN_MS?: number;
  WAIT_MS?: number;
}

let client: SharedClient | undefined;

export default {
  async fetch(_request, env): Promise<Response> {
    const { TURN_MS, WAIT_MS } = env;
    const limits = TURN_MS && WAIT_MS ? { turns: new Turns(TURN_MS, WAIT_MS) } : {}; // else the usual ones
    client ??= new SharedClient(wasm, readConfig(env), limits);
    try {
      return new Response(await client.listJobs());
    } catch (error) {
      return failure(error);
    }
  },
} satisfies ExportedHandler<Env & Limits>;
