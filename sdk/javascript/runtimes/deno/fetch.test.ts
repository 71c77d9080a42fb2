import assert from 'node:assert/strict';
import { test } from 'node:test';
import { start } from '../../tests/start.js';

test('with no connection kept open, Deno sends each request once', async (t) => {
  using http = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const { sandbox, client } = await start(t, { fetch: (url, init) => fetch(url, { ...init, client: http }) });
  await sandbox.fault('jobs', { cut_off: true });
  await assert.rejects(client.listJobs(), { code: 'network_error' });
  assert.deepEqual(await sandbox.counts(), { token_requests: 1, job_requests: 1 });
  await sandbox.clearFaults();
  assert.equal((await client.listJobs()).status, 200);
});
