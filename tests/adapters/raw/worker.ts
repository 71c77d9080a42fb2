// The raw host in a Worker: ../javascript/workerd.js sends it each request.

import module from '../../../plugin/rostering-nowasi.wasm';
import { respond } from './respond.js';

export default {
  async fetch(request): Promise<Response> {
    const responses = await respond({ ...(await request.json<object>()), wasm: { wasm: [{ module }] } });
    return new Response(responses.map((response) => `${JSON.stringify(response)}\n`).join(''));
  },
} satisfies ExportedHandler;
