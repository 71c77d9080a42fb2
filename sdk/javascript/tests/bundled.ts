// A program to bundle, with the plugin: a bundle does not find its file.

import { Client, configFromEnv } from 'automatic-rostering';
import plugin from 'automatic-rostering/rostering-nowasi.wasm';

async function main(): Promise<void> {
  const unbundled = await Client.open(configFromEnv()).then(
    () => 'opens without the plugin',
    (error) => String(error),
  );
  if (!unbundled.includes('rostering-nowasi.wasm')) throw new Error(unbundled);
  const client = await Client.open(configFromEnv(), { plugin });
  console.log(await (await client.listJobs()).text());
  await client.close();
}

void main();
