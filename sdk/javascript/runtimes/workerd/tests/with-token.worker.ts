// Sends a request with a token to the URL in the query: a GET, or a POST of the `body` in the query.

import { Client, withToken } from '../../../src/index.js';
import { readConfig, type Env } from '../../../../../host-example/workerd/config.js';

export { StoreEntry } from '../../../src/cloudflare.js';

export default {
  async fetch(request, env): Promise<Response> {
    const query = new URL(request.url).searchParams;
    const url = query.get('url') ?? '';
    const client = await Client.open(readConfig(env));
    const body = query.get('body');
    const send = withToken(client);
    const response = body
      ? await send(new Request(url, { method: 'POST', body }))
      : await send(url, { headers: { Cookie: 'a=b' } });
    return Response.json({ status: response.status });
  },
} satisfies ExportedHandler<Env>;
