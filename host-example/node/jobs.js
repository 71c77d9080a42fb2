// Prints the jobs.

// snippet
import { Client, configFromEnv, RosteringError } from 'automatic-rostering';

try {
  const client = await Client.open(configFromEnv()); // one for the process
  const jobs = await client.listJobs();
  console.log(await jobs.text());
  await client.close();
} catch (error) {
  if (!(error instanceof RosteringError)) throw error;
  console.error(String(error));
  if (error.body) console.error(error.body.slice(0, 500));
  process.exitCode = 1;
}
// end of snippet
