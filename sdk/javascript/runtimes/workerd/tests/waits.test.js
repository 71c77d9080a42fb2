import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen } from '../../../tests/server.js';
import { startWorker } from '../../../../../host-example/workerd/local.js';

// So many requests that V8 optimizes the code: only then it shows if workerd resumes the wrong request.
test('a request wakes a call that waits in another request', { timeout: 60_000 }, async (t) => {
  const service = await listen(t);
  const worker = await startWorker(new URL('waits.worker.ts', import.meta.url));
  t.after(() => worker.end());
  let waited = 0;
  const client = async (/** @type {unknown} */ _, /** @type {number} */ client) => {
    for (let i = 0; i < 30; i++) {
      const name = `${client}-${i}`;
      const query = new URLSearchParams({ url: `${service.url}/?to=${name}` });
      const got = await (await fetch(`${worker.url}?${query}`)).text();
      if (got === `${name}-waited`) waited++;
      else assert.equal(got, name);
    }
  };
  await Promise.all(Array.from({ length: 20 }, client));
  assert.ok(waited > 0);
  t.diagnostic(`${waited} of 600 waited`);
});
