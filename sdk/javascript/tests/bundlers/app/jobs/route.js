import { Client, configFromEnv } from 'automatic-rostering';

export const dynamic = 'force-dynamic';

export async function GET() {
  const client = await Client.open(configFromEnv());
  return client.listJobs();
}
