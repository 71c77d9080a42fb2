import { setTimeout } from 'node:timers/promises';
import { Sandbox } from '../../../tests/sandbox.js';
import { startWorker } from '../../../../../host-example/workerd/local.js';

/**
 * Starts a sandbox and the Worker of service.ts, which end with the test.
 *
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} [bindings]
 * @param {import('../../../../../host-example/workerd/local.js').Options} [options]
 */
export async function start(t, bindings, options) {
  const sandbox = await Sandbox.start(t);
  const worker = await startWorker(new URL('../../../../../host-example/workerd/service.ts', import.meta.url), {
    ...options,
    bindings: { ...sandbox.env, ...bindings },
  });
  t.after(() => worker.end());
  /** @param {string} [path] @param {RequestInit} [init] */
  const get = (path = '/jobs', init) => fetch(new URL(path, worker.url), init);
  return { sandbox, get, url: new URL('/jobs', worker.url) };
}

/**
 * Waits until a condition holds, for ten seconds at most.
 *
 * @param {() => boolean | Promise<boolean>} condition
 */
export async function until(condition) {
  for (let i = 0; i < 1000; i++) {
    if (await condition()) return;
    await setTimeout(10);
  }
  throw new Error('the condition does not hold');
}
