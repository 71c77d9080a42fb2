import { Client, configFromEnv } from 'automatic-rostering';
import { serve } from './serve.js';

const client = await Client.open(configFromEnv());
await serve(async () => (await client.listJobs()).arrayBuffer());
await client.close();
