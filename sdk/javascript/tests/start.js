import { Client, configFromEnv } from '../src/index.js';
import { Sandbox } from './sandbox.js';

/** @typedef {import('node:test').TestContext} TestContext */
/** @typedef {import('../src/index.js').Config} Config */
/** @typedef {import('../src/index.js').Options} Options */

/**
 * Starts a sandbox and a client of it, which end with the test.
 *
 * @param {TestContext} t
 * @param {Options} [options]
 * @param {Partial<Config>} [config]
 */
export async function start(t, options, config) {
  const sandbox = await Sandbox.start(t);
  return { sandbox, client: await open(t, sandbox, options, config) };
}

/**
 * Opens a client of a sandbox, which ends with the test.
 *
 * @param {TestContext} t
 * @param {Sandbox} sandbox
 * @param {Options} [options]
 * @param {Partial<Config>} [config]
 */
export async function open(t, sandbox, options, config) {
  const client = await Client.open({ ...configFromEnv(sandbox.env), ...config }, options);
  t.after(() => client.close());
  return client;
}

/**
 * Sets the clock of this process ahead until the test ends.
 *
 * @param {TestContext} t
 * @param {number} seconds
 */
export function setAhead(t, seconds) {
  const { now } = Date;
  t.after(() => void (Date.now = now));
  Date.now = () => now() + seconds * 1000;
}
