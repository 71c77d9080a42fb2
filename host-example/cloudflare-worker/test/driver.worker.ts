// The Worker with the plugin driven: requests to the service run at once, and turns are for the plugin and
// for token requests.

import wasm from '../../../dist/rostering-nowasi.wasm';
import { Rostering } from '../../node/rostering/index.js';
import { readConfig, type Env } from '../src/config.js';
import { Turns } from '../src/turns.js';

let client: Rostering | undefined;

export default {
  async fetch(_request, env): Promise<Response> {
    client ??= await Rostering.openDriver(wasm, readConfig(env), {
      turns: new Turns(2_000, 20_000),
      timeoutMs: 20_000,
    });
    return new Response(await client.listJobs());
  },
} satisfies ExportedHandler<Env>;
