// A program to bundle, as CommonJS, too.

import { Client, configFromEnv } from 'automatic-rostering';

async function main() {
  const client = await Client.open(configFromEnv());
  console.log(await (await client.listJobs()).text());
  await client.close();
}

void main();
