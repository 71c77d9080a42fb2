import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { startWorker } from '../local/worker.js';
import { front, listen, until } from './service.js';

const bound = { timeout: 60_000 };

/**
 * A Worker whose requests take turns, and the answers that work waits for.
 *
 * @param {import('node:test').TestContext} t
 * @param {{TURN_MS: number, WAIT_MS: number}} limits
 */
async function start(t, limits) {
  const slow = await listen(t);
  const gate = await listen(t);
  /** @type {import('node:http').ServerResponse[]} */
  const held = [];
  slow.jobs = (response) => void held.push(response);
  gate.jobs = (response) => void until(() => held.length > 0).then(() => response.end());
  const bindings = { ...limits, SLOW: slow.bindings.ROSTERING_BASE_URL };
  const worker = await startWorker('test/turns.worker.ts', { bindings, front: front(gate) });
  t.after(() => worker.end());
  /** @param {string} path */
  const get = async (path) => (await fetch(new URL(path, worker.url))).text();
  return { slow, held, get };
}

// So many that V8 optimises the code: only then does it show when a request goes on in place of another.
test('requests take turns', bound, async (t) => {
  const { slow, get } = await start(t, { TURN_MS: 20_000, WAIT_MS: 20_000 });
  let underWay = 0;
  slow.jobs = (response) => {
    assert.equal(++underWay, 1);
    void setTimeout(3).then(() => response.end(`${underWay--}`));
  };
  const all = Array.from({ length: 600 }, async (_, i) => {
    await setTimeout(i);
    return get('/slow');
  });
  assert.deepEqual(await Promise.all(all), Array(600).fill('done'));
});

test('the turn of a cancelled request comes to an end', bound, async (t) => {
  const { get } = await start(t, { TURN_MS: 500, WAIT_MS: 20_000 });
  assert.equal(await get('/hang-up?on=/slow'), 'AbortError');
  assert.deepEqual((await Promise.all([get('/'), get('/')])).sort(), ['after one that never ended', 'done']);
  assert.equal(await get('/'), 'done');
});

test('a request does not wait for ever', bound, async (t) => {
  const { held, get } = await start(t, { TURN_MS: 20_000, WAIT_MS: 100 });
  const slow = get('/slow');
  await until(() => held.length === 1);
  assert.equal(await get('/'), 'BusyError');
  held[0]?.end();
  assert.equal(await slow, 'done');
  assert.equal(await get('/'), 'done');
});

test('work that ends late ends no turn but its own', bound, async (t) => {
  const { held, get } = await start(t, { TURN_MS: 500, WAIT_MS: 20_000 });
  const late = get('/slow');
  await until(() => held.length === 1);
  const next = get('/slow');
  await until(() => held.length === 2);
  held[0]?.end();
  assert.equal(await late, 'done');
  assert.equal(await get('/'), 'after one that never ended');
  held[1]?.end();
  assert.equal(await next, 'after one that never ended');
});
