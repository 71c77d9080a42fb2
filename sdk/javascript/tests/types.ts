// Uses everything in the package that is for Node, Deno and Bun: its types compile without those of the SDK and of redis.

import { Client, configFromEnv, contract, MemoryStore, retry, Token, version, withToken } from 'automatic-rostering';
import type { Config, JobsClient, Options, RosteringError, Source, Status, Store } from 'automatic-rostering';
import { FileStore } from 'automatic-rostering/file';
import { RedisStore, type RedisClient } from 'automatic-rostering/redis';

export async function use(config: Config, redis: RedisClient, bytes: Uint8Array): Promise<[string, number]> {
  const stores: Store[] = [new MemoryStore(), new FileStore('tokens'), new RedisStore(redis)];
  const plugin: Source = bytes;
  for (const store of stores) {
    const headers = { 'X-Service': 'reports' };
    const own: Options = { fetch: (url, init) => fetch(url, init), clock: Date.now, headers };
    const options: Options = { ...own, store, plugin, logger: console };
    const client = await Client.open(config, options);
    await client.setToken(new Token((await client.getToken()).toObject()));
    const put = { path: '/jobs/7', method: 'PUT' };
    const response: Response = await client.sendRequest({ ...put, json: {}, searchParams: { dry: 'yes' } });
    await client.sendRequest({ ...put, body: '{}', headers: response.headers });
    await withToken(client, fetch)(response.url, { signal: AbortSignal.timeout(1000) });
    const view: Client = client.forCustomer('acme').forUser(null);
    const retryIf = ({ code, status }: RosteringError) => code === 'network_error' || status === 409;
    await retry(() => view.listJobs({ headers, waitUntil: (section) => void section }), { deadlineMs: 1000, retryIf });
    await client.setSecret('another');
    const { tokenExpiresAt, failedCalls }: Status = client.status();
    if (tokenExpiresAt && tokenExpiresAt.getTime() > (failedCalls.network_error ?? 0)) await calls(view);
    await client.close({ timeoutMs: 1000 });
  }
  return [version, contract];
}

export async function refused(client: Client, config: Config): Promise<void> {
  // @ts-expect-error: unknown option
  await client.listJobs({ customer_id: 'acme', timeoutMs: 1 });
  // @ts-expect-error: the same
  await client.sendRequest({ path: '/jobs', customer_id: 'acme' });
  // @ts-expect-error: the same
  await Client.open(config, { stroe: new MemoryStore(), timeoutMs: 3 });
  // @ts-expect-error: the same
  await Client.open({ ...configFromEnv({}), clientID: 'a' });
  // @ts-expect-error: not an object
  await client.listJobs('acme');
  // @ts-expect-error: not a Token
  await client.setToken({ access_token: 'a' });
  // @ts-expect-error: neither an id nor null
  client.forCustomer(undefined);
}

interface Jobs {
  jobs: { id: string; status: string }[];
}

/** The body of a response is what your type says. */
export async function ids(client: JobsClient): Promise<string[]> {
  const response = await client.listJobs();
  const { jobs } = (await response.json()) as Jobs;
  return jobs.map(({ id }) => id);
}

const calls = async (client: JobsClient): Promise<Response> => client.forUser('u-1').listJobs();

// snippet
const jobs = async () => Response.json({ jobs: [] });
const fake: JobsClient = { listJobs: jobs, sendRequest: jobs, forCustomer: () => fake, forUser: () => fake };
// end of snippet

export const fakes = (client: Client): JobsClient[] => [fake, client];

export const shown = (error: RosteringError): string | undefined =>
  error.oauthError ?? error.headers?.get('ETag') ?? '';
