import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Client } from '../../src/index.js';
import { config } from '../../tests/fake.js';

test('with no connection kept open, Deno sends a request once', async (t) => {
  let requests = 0;
  const server = createServer((request) => (requests++, request.socket.destroy())).listen(0, '127.0.0.1');
  t.after(() => void server.close());
  await once(server, 'listening');
  using http = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const authUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = await Client.open(
    { ...config, authUrl },
    { fetch: (url, init) => fetch(url, { ...init, client: http }) },
  );
  await assert.rejects(client.getToken(), { code: 'network_error' });
  assert.equal(requests, 1);
});
