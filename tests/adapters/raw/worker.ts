// The raw host in a Worker: workerd.js sends it each request.

import module from 'automatic-rostering/rostering-nowasi.wasm';
import { respond } from './respond.js';

export default {
  async fetch(request): Promise<Response> {
    return Response.json(await respond({ ...(await request.json<object>()), wasm: { wasm: [{ module }] } }));
  },
} satisfies ExportedHandler;
