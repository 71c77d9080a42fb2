import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { secret, start } from './service.js';

const all = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: false };

test('neither secret nor token shows', { timeout: 30_000 }, async (t) => {
  const { service, client } = await start(t);
  const token = await client.getToken();
  service.jobs = (response) => response.writeHead(500).end(`${secret} ${token.accessToken}`);
  const error = await client.listJobs().catch((error) => error);
  assert.equal(error.body, '[redacted] [redacted]');
  for (const value of [client, token, error]) {
    for (const shown of [String(value), JSON.stringify(value), inspect(value), inspect(value, all)]) {
      assert.ok(!shown.includes(secret), shown);
      assert.ok(!shown.includes(token.accessToken), shown);
    }
  }
});
