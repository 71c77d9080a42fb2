// The least that a program needs. main.js shows more, and README.md tells what to set in the environment.

import { readConfig } from './demo.js';
import { Rostering, RosteringError } from './rostering/index.js';

const config = readConfig(process.env);
const client = await Rostering.open(config); // once in each process
try {
  const response = await client.listJobs(); // anywhere, concurrently
  console.log(await response.json());
} catch (error) {
  if (!(error instanceof RosteringError)) throw error;
  console.error(String(error));
  if (error.retryable) console.error(`call again in ${error.retryAfter ?? 1} s`);
} finally {
  await client.close();
}
