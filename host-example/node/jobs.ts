// What a program of a user is; ../test-package.sh runs it with the package.

import process from 'node:process';
// snippet
import { Rostering, RosteringError } from 'automatic-rostering';

const { env } = process;
const client = await Rostering.open({
  environment: 'stage', // or production
  authUrl: env.ROSTERING_AUTH_URL ?? '',
  baseUrl: env.ROSTERING_BASE_URL ?? '',
  clientId: env.ROSTERING_CLIENT_ID ?? '',
  clientSecret: env.ROSTERING_CLIENT_SECRET ?? '',
  customerId: env.ROSTERING_CUSTOMER_ID ?? '',
  userId: env.ROSTERING_USER_ID ?? '',
}); // one client for the process
try {
  console.log(await (await client.listJobs()).json());
} catch (error) {
  if (!(error instanceof RosteringError)) throw error;
  console.error(String(error), error.retryable ? `call again in ${error.retryAfter ?? 1} s` : '');
}
await client.close();
// end of snippet
