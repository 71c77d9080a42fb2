// Serves the stores at a URL, with a Durable Object that shows whether it is empty.

import { DurableObjectStore, KvStore, StoreEntry as Entry } from '../../../src/cloudflare.js';

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
    const store = env.TOKEN_STORE ? new DurableObjectStore(env.TOKEN_STORE) : new KvStore(env.TOKENS);
    return Response.json((await store[op](key, value, ttl)) ?? null);
  },
} satisfies ExportedHandler<{ TOKENS: KVNamespace; TOKEN_STORE?: DurableObjectNamespace<StoreEntry> }>;
