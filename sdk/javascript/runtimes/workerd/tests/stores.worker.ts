// Serves the stores at a URL, with a Durable Object that shows whether it is empty.

import { findStore, type Env } from '../../../../../host-example/workerd/config.js';
import { StoreEntry as Entry } from '../../../src/cloudflare.js';

export class StoreEntry extends Entry {
  isEmpty(): boolean {
    return [...this.ctx.storage.kv.list()].length === 0;
  }
}

export default {
  async fetch(request, env): Promise<Response> {
    const { op, key, value, ttl } = await request.json<{
      op: 'get' | 'add' | 'set' | 'isEmpty';
      key: string;
      value: string;
      ttl: number;
    }>();
    if (op === 'isEmpty') return Response.json(await env.TOKEN_STORE?.getByName(key).isEmpty());
    return Response.json((await findStore(env)?.[op](key, value, ttl)) ?? null);
  },
} satisfies ExportedHandler<Omit<Env, 'TOKEN_STORE'> & { TOKEN_STORE?: DurableObjectNamespace<StoreEntry> }>;
