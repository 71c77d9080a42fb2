import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '../../../src/index.js';
import { config } from '../../../tests/fake.js';
import { listen } from '../../../tests/server.js';

test('with no connection kept open, Deno sends a request once', async (t) => {
  let requests = 0;
  const url = await listen(t, ({ socket }) => (requests++, socket.destroy()));
  using http = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const options = { fetch: (url: string, init: RequestInit) => fetch(url, { ...init, client: http }) };
  const client = await Client.open({ ...config, authUrl: url, baseUrl: url }, options);
  await assert.rejects(client.listJobs(), { code: 'network_error' });
  assert.equal(requests, client.status().tokenRequests);
});
