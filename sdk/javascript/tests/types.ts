// All that the package has for Node, Deno and Bun, for the compiler: its types hold without the SDK's and redis.

import { contract, MemoryStore, Client, Token, version, withToken } from 'automatic-rostering';
import type { Config, Options, RosteringError, Source, Store } from 'automatic-rostering';
import { FileStore } from 'automatic-rostering/file';
import { RedisStore, type RedisClient } from 'automatic-rostering/redis';

export async function use(config: Config, redis: RedisClient, bytes: Uint8Array): Promise<[string, number]> {
  const stores: Store[] = [new MemoryStore(), new FileStore('tokens'), new RedisStore(redis)];
  const plugin: Source = bytes;
  for (const store of stores) {
    const options: Options = { store, plugin, logger: console, fetch: (url, init) => fetch(url, init) };
    const client = await Client.open(config, options);
    await client.setToken(new Token((await client.getToken()).toObject()));
    const response: Response = await client.sendRequest({ path: '/jobs/7', method: 'PUT', body: '{}' });
    await withToken(client, fetch)(response.url, { signal: AbortSignal.timeout(1000) });
    await client.close();
  }
  return [version, contract];
}

export const shown = (error: RosteringError): string | undefined => error.oauthError ?? error.body;
