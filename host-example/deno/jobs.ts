// What a program of a user is; ../test-package.sh runs it with the package.

// snippet
import { Rostering, RosteringError } from 'automatic-rostering';

const { env } = Deno;
await using client = await Rostering.open({
  environment: 'stage', // or production
  authUrl: env.get('ROSTERING_AUTH_URL') ?? '',
  baseUrl: env.get('ROSTERING_BASE_URL') ?? '',
  clientId: env.get('ROSTERING_CLIENT_ID') ?? '',
  clientSecret: env.get('ROSTERING_CLIENT_SECRET') ?? '',
  customerId: env.get('ROSTERING_CUSTOMER_ID') ?? '',
  userId: env.get('ROSTERING_USER_ID') ?? '',
}); // one client for the process
try {
  console.log(await (await client.listJobs()).json());
} catch (error) {
  if (!(error instanceof RosteringError)) throw error;
  console.error(String(error), error.retryable ? `call again in ${error.retryAfter ?? 1} s` : '');
}
// end of snippet
