import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, breakOff, start } from '../../node/test/service.js';

test('with no connection kept open, Deno sends each request once', async (t) => {
  using http = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const { service, client } = await start(t, { fetch: (url, init) => fetch(url, { ...init, client: http }) });
  service.jobs = breakOff;
  await assert.rejects(client.listJobs(), { code: 'network_error' });
  assert.deepEqual([service.tokenRequests.length, service.jobRequests.length], [1, 1]);
  service.jobs = answer(200, '[]');
  assert.equal((await client.listJobs()).status, 200);
});
