// Prints the jobs.

import { Client, configFromEnv, RosteringError } from 'automatic-rostering';

try {
  await using client = await Client.open(configFromEnv()); // one for the process
  const jobs = await client.listJobs();
  console.log(await jobs.text());
} catch (error) {
  if (!(error instanceof RosteringError)) throw error;
  // snippet
  console.error(String(error));
  process.exitCode = 1;
  // end of snippet
}
