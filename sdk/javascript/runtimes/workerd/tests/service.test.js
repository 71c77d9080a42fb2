import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Sandbox } from '../../../tests/sandbox.js';
import { startWorker } from '../../../../../host-example/workerd/local.js';

// So many requests that V8 optimizes the code: only then it shows if workerd resumes the wrong request.
test('requests wait for each other while a token is revoked', { timeout: 60_000 }, async (t) => {
  const sandbox = await Sandbox.start(t);
  const entry = new URL('../../../../../host-example/workerd/service.ts', import.meta.url);
  const worker = await startWorker(entry, { bindings: sandbox.env });
  t.after(() => worker.end());
  const client = async () => {
    for (let i = 0; i < 30; i++) assert.equal((await fetch(new URL('/jobs', worker.url))).status, 200);
  };
  const clients = Promise.all(Array.from({ length: 20 }, client));
  await sandbox.wait({ job_requests: 200 });
  await sandbox.revoke();
  await clients;
  assert.equal((await sandbox.counts()).token_requests, 2);
});
