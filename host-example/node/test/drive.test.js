// What the driver's loop hands to begin and resume.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drive } from '../rostering/drive.js';
import { decode } from './service.js';

/** @typedef {import('../rostering/drive.js').Answer} Answer */

const encode = (/** @type {string} */ text) => new TextEncoder().encode(text);
const request = { method: 'GET', url: 'https://service/jobs', headers: { Authorization: 'Bearer t' } };
const tokenRequest = { method: 'POST', url: 'https://auth/connect/token', headers: {}, body: 'form' };

/**
 * @param {object[]} steps what the plugin says
 * @param {Answer[]} answers what the requests meet
 */
function script(steps, answers) {
  /** @type {[string, any][]} */
  const told = [];
  let seconds = 100;
  /** @type {any} */
  const plugin = {
    /** @type {(name: string, input: string) => Promise<object>} */
    call: async (name, input) => {
      told.push([name, JSON.parse(input)]);
      return { json: () => steps.shift() };
    },
  };
  const send = async () => /** @type {Answer} */ (answers.shift());
  /** @type {import('../rostering/turns.js').TurnTaking} */
  const turns = {
    take(work) {
      seconds += 10; // until its turn comes
      return work();
    },
  };
  return { told, parts: { plugin, turns, send, now: () => seconds++ } };
}

test('a token request, a service that fails, and one that answers', async () => {
  const steps = [
    { step: 'request', flow: { n: 1 }, request: tokenRequest },
    { step: 'request', flow: { n: 2 }, request },
    { step: 'request', flow: { n: 3 }, request },
    { step: 'done' },
  ];
  /** @type {Answer[]} */
  const answers = [
    { told: { status: 200, headers: { a: 'b' } }, body: encode('\ufeff{}') },
    { told: { failed: 'why' }, body: encode('') },
    { told: { status: 201, headers: {} }, body: encode('jobs') },
  ];
  const { told, parts } = script(steps, answers);
  assert.equal(decode(await drive(parts, 'list_jobs', { user_id: null })), 'jobs');
  assert.deepEqual(told, [
    ['begin', { call: 'list_jobs', input: { now: 110, user_id: null } }],
    ['resume', { flow: { n: 1 }, now: 111, status: 200, headers: { a: 'b' }, body: '\ufeff{}' }],
    ['resume', { flow: { n: 2 }, now: 122, failed: 'why' }],
    ['resume', { flow: { n: 3 }, now: 133, status: 201, headers: {} }],
  ]);
});

test('a token, by a request that fails; the time of the input wins', async () => {
  const steps = [
    { step: 'request', flow: {}, request: tokenRequest },
    { step: 'done', output: { access_token: 't' } },
  ];
  const { told, parts } = script(steps, [{ told: { failed: 'why' }, body: encode('') }]);
  assert.equal(decode(await drive(parts, 'get_token', { now: 7 })), '{"access_token":"t"}');
  assert.deepEqual(told[0], ['begin', { call: 'get_token', input: { now: 7 } }]);
  assert.deepEqual(told[1]?.[1].failed, 'why');
});

test('no more of a token answer than the plugin reads', async () => {
  const steps = [{ step: 'request', flow: {}, request: tokenRequest }, { step: 'done' }];
  const body = encode('x'.repeat(1 << 20));
  const { told, parts } = script(steps, [{ told: { status: 200, headers: {} }, body }]);
  await drive(parts, 'get_token');
  assert.equal(told[1]?.[1].body.length, (256 << 10) + 1);
});
