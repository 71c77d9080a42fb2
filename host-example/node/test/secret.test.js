import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { forms, secret, start } from './service.js';

const all = { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: false };

for (const form of forms) {
  test(`${form}: neither secret nor token shows`, { timeout: 30_000 }, async (t) => {
    const { service, client } = await start(t, {}, { form });
    const token = await client.getToken();
    service.jobs = (response) => response.writeHead(500).end(`${secret} ${token.accessToken}`);
    const answered = await client.listJobs().catch((error) => error);
    assert.equal(answered.body, form === 'open' ? '[redacted] [redacted]' : undefined);
    service.jobs = (response) => void response.socket?.destroy();
    const lost = await client.listJobs().catch((error) => error);
    service.token = service.jobs;
    const refused = await client.getToken({ force: true }).catch((error) => error);
    assert.deepEqual([answered.code, lost.code, refused.code], ['service_error', 'network_error', 'network_error']);
    for (const value of [client, token, answered, lost, refused]) {
      for (const shown of [String(value), JSON.stringify(value), inspect(value), inspect(value, all)]) {
        assert.ok(!shown.includes(secret), shown);
        assert.ok(!shown.includes(token.accessToken), shown);
      }
    }
  });
}
