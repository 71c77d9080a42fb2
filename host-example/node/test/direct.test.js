// What a form does with a plugin that sends its requests itself, in a worker too.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Rostering } from '../rostering/index.js';
import { answer, breakOff, decode, jobs, Service, start } from './service.js';

// (module (func (export "list_jobs") (result i32) unreachable))
const trap = Buffer.from('0061736d010000000105016000017f03020100070d01096c6973745f6a6f627300000a05010300000b', 'hex');

const bound = { timeout: 30_000 };

test('a call that waits for one that is aborted', bound, async (t) => {
  const { service, client } = await start(t);
  const controller = new AbortController();
  service.jobs = () => controller.abort(new Error('enough'));
  const calls = [client.listJobs({ signal: controller.signal }), client.listJobs({ signal: controller.signal })];
  for (const call of calls) await assert.rejects(call, { message: 'enough' });
  service.jobs = answer(200, jobs);
  assert.equal(decode(await client.listJobs()), jobs);
  assert.equal(service.jobRequests.length, 2);
});

for (const worker of [true, undefined]) {
  const where = worker ? 'in a worker' : 'wherever it runs';

  test(`${where}: requests that get no answer, then some that do`, bound, async (t) => {
    const { service, client } = await start(t, {}, { worker });
    await client.getToken();
    service.jobs = breakOff;
    for (let i = 0; i < 3; i++) await assert.rejects(client.listJobs(), { code: 'network_error', retryable: true });
    service.jobs = answer(200, jobs);
    assert.equal(decode(await client.listJobs()), jobs);
    assert.equal(service.tokenRequests.length, 1);
  });

  test(`${where}: a plugin that traps does not hang`, bound, async (t) => {
    const client = await Rostering.open(trap, new Service().config, { worker });
    t.after(() => client.close());
    const trapped = /^Error: the plugin failed: .*unreachable/i;
    await assert.rejects(client.listJobs(), trapped);
    await assert.rejects(client.listJobs(), trapped);
  });
}
