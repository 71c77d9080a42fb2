import { createElement } from 'react';
import { Client, configFromEnv } from 'automatic-rostering';

export const dynamic = 'force-dynamic';

export default async function Page() {
  const client = await Client.open(configFromEnv());
  return createElement('pre', null, await (await client.listJobs()).text());
}
