import assert from 'node:assert/strict';
import { test } from 'node:test';
import { config } from '../../../tests/fake.js';
import { listen } from '../../../tests/server.js';
import { startWorker } from '../../../../../host-example/workerd/local.js';

// So many requests that V8 optimizes the code: only then it shows if workerd resumes the wrong request.
test('requests wait for each other while a token is revoked', { timeout: 60_000 }, async (t) => {
  const server = await listen(t, (requests, token) => (requests > 200 && token === 'token-0001' ? 401 : 200));
  const bindings = {
    ...{ ROSTERING_AUTH_URL: server.url, ROSTERING_BASE_URL: server.url, ROSTERING_SCOPE: config.scope },
    ...{ ROSTERING_CLIENT_ID: config.clientId, ROSTERING_CLIENT_SECRET: config.clientSecret },
    ...{ ROSTERING_CUSTOMER_ID: config.customerId, ROSTERING_USER_ID: config.userId },
  };
  const worker = await startWorker(new URL('../../../../../host-example/workerd/service.ts', import.meta.url), {
    bindings,
  });
  t.after(() => worker.end());
  const client = async () => {
    for (let i = 0; i < 30; i++) assert.equal((await fetch(new URL('/jobs', worker.url))).status, 200);
  };
  await Promise.all(Array.from({ length: 20 }, client));
  assert.equal(server.tokens(), 2);
});
