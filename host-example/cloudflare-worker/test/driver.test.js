import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, front, jobs, listen, start, until } from './service.js';

const bound = { timeout: 60_000 };
const entry = 'test/driver.worker.ts';

test('driven, requests run at once, with one token', bound, async (t) => {
  const { service, get } = await start(t, {}, { entry });
  /** @type {import('node:http').ServerResponse[]} */
  const held = [];
  service.jobs = (response) => void held.push(response);
  const calls = Array.from({ length: 20 }, () => get());
  await until(() => held.length === 20);
  for (const response of held) answer(200, jobs)(response);
  for (const call of calls) assert.equal(await (await call).text(), jobs);
  assert.equal(service.tokenRequests.length, 1);
});

test('driven, a client that hangs up while it waits for a token', bound, async (t) => {
  const gate = await listen(t);
  const { service, get } = await start(t, {}, { entry, front: front(gate) });
  const { token } = service;
  service.token = () => {};
  gate.jobs = (response) => void until(() => service.tokenRequests.length === 1).then(() => response.end());
  assert.equal(await (await get('/hang-up?on=/jobs')).text(), 'AbortError');
  service.token = token;
  const calls = Array.from({ length: 5 }, () => get());
  for (const call of calls) assert.equal(await (await call).text(), jobs);
  assert.equal(service.tokenRequests.length, 2);
});
