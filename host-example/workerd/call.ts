// The raw host of the scenarios: run.js sends it the lines of its standard input.

import module from 'automatic-rostering/rostering-nowasi.wasm';
import { respond } from '../node/respond.js';

export default {
  async fetch(request): Promise<Response> {
    return Response.json(await respond({ ...(await request.json<object>()), wasm: { wasm: [{ module }] } }));
  },
} satisfies ExportedHandler;
