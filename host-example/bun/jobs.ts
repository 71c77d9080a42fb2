// The least that a program needs. main.ts shows more, and README.md tells what to set in the environment.

import { readConfig } from '../node/demo.js';
import { Rostering, RosteringError } from '../node/rostering/index.js';

const config = readConfig(process.env);
await using client = await Rostering.open(config); // once in each process
try {
  const response = await client.listJobs(); // anywhere, concurrently
  console.log(await response.json());
} catch (error) {
  if (!(error instanceof RosteringError)) throw error;
  console.error(String(error));
  if (error.retryable) console.error(`call again in ${error.retryAfter ?? 1} s`);
}
