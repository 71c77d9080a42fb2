// How calls wait for each other, without a clock: a wait that does not end early outlasts its test. On Node, Deno and Bun.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Calls } from '../src/calls.js';
import { fakePlugin, steps } from './fake-plugin.js';

const bound = { timeout: 30_000 };

/**
 * Makes calls whose token requests get their response when the test calls `respond`.
 *
 * @param {import('./fake-plugin.js').Exports} exports
 */
function start(exports) {
  let respond = () => {};
  const responded = new Promise((/** @type {(_?: unknown) => void} */ resolve) => (respond = resolve));
  /** @type {Promise<unknown>[]} */
  const sections = [];
  const calls = new Calls(fakePlugin(exports), {
    fetch: () => responded.then(() => new Response('{}')),
    timeoutMs: 0,
    waitUntil: (section) => sections.push(section),
  });
  const getToken = (/** @type {{signal?: AbortSignal}} */ options = {}) => calls.make('get_token', {}, options);
  return { getToken, respond, sections, close: () => calls.close() };
}

test('wait-ends: a wait for a call ends with its token request', bound, async () => {
  let begun = 0;
  let looks = 0;
  const { getToken, respond } = start({
    begin: () => (begun++ ? steps.wait('look') : steps.token('token')),
    resume: ({ flow }) => {
      if (flow === 'look') looks++;
      return steps.done();
    },
  });
  const calls = Array.from({ length: 100 }, () => getToken());
  while (begun < 100) await setImmediate();
  respond();
  await Promise.all(calls);
  assert.equal(looks, 99);
});

test('a section that ends in a wait ends no other, and no wait for the store ends early', bound, async () => {
  let begun = 0;
  /** @type {unknown[]} */
  const looks = [];
  const { getToken, respond, sections, close } = start({
    begin: () => [steps.token('first'), steps.wait('call'), steps.wait('store', 'store'), steps.token('last')][begun++],
    resume: ({ flow }) => {
      if (flow === 'first') return steps.wait('lock', 'store');
      looks.push(flow);
      return steps.done();
    },
  });
  const controller = new AbortController();
  const [, other] = Array.from({ length: 3 }, () => getToken({ signal: controller.signal }).catch(() => 'left'));
  while (begun < 3) await setImmediate();
  respond();
  await sections[0];
  for (let i = 0; i < 10; i++) await setImmediate();
  assert.deepEqual(looks, []);
  await getToken();
  assert.ok((await other) !== 'left');
  assert.deepEqual(looks, ['last', 'call']);
  controller.abort();
  await close();
});
