import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listen } from '../../../tests/server.js';
import { Sandbox } from '../../../tests/sandbox.js';
import { startWorker } from '../../../../../host-example/workerd/local.js';

const bound = { timeout: 60_000 };

test('no redirect forwards the token to another origin', bound, async (t) => {
  const sandbox = await Sandbox.start(t);
  const [service, other] = [await listen(t), await listen(t)];
  const bindings = { ...sandbox.env, ROSTERING_BASE_URL: service.url };
  const worker = await startWorker(new URL('with-token.worker.ts', import.meta.url), { bindings });
  t.after(() => worker.end());
  const send = async (/** @type {Record<string, string>} */ query) => {
    const response = await fetch(`${worker.url}?${new URLSearchParams(query)}`);
    return /** @type {{status: number}} */ (await response.json()).status;
  };
  assert.equal(await send({ url: other.url }), 200);
  assert.equal(other.received.pop()?.headers.authorization, undefined);
  for (const status of [301, 302, 303, 307, 308]) {
    assert.equal(await send({ url: `${service.url}/?status=${status}&to=${other.url}` }), 200);
    const { authorization, cookie } = other.received.pop()?.headers ?? {};
    assert.deepEqual([authorization, cookie], [undefined, undefined]);
  }
  assert.equal(await send({ url: `${service.url}/?status=307&to=${other.url}`, body: 'text' }), 307);
  assert.deepEqual(other.received, []);
  for (const { headers } of service.received) assert.match(headers.authorization ?? '', /^Bearer \S+$/);
});

test('a Request is retried after a 401', bound, async (t) => {
  const sandbox = await Sandbox.start(t);
  const worker = await startWorker(new URL('with-token.worker.ts', import.meta.url), { bindings: sandbox.env });
  t.after(() => worker.end());
  await sandbox.fault('jobs', { status: 401, requests: 1 });
  const url = `${sandbox.env.ROSTERING_BASE_URL}/jobs`;
  const response = await fetch(`${worker.url}?${new URLSearchParams({ url, body: 'text' })}`);
  assert.deepEqual(await response.json(), { status: 405 }); // the answer to the repeat
  assert.deepEqual(
    (await sandbox.requests('jobs')).map(({ body }) => body),
    ['text', 'text'],
  );
  assert.equal((await sandbox.counts()).token_requests, 2);
});
