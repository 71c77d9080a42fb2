// Prints what listJobs costs compared with fetch and the same requests: the medians of the ratios of CPU and wall time, of pairs of
// batches that alternate. On Node, Deno and Bun, with the ROSTERING_* variables of the environment.

import assert from 'node:assert/strict';
import process from 'node:process';
import { Client, configFromEnv } from '../src/index.js';

const pairs = 41;
const warmUp = 20; // pairs
const calls = 200; // of a batch
const atOnce = 8;

const config = configFromEnv();
const client = await Client.open(config);
const { accessToken } = await client.getToken();
const { customerId = '', userId = '' } = config;
const headers = { Authorization: `Bearer ${accessToken}`, CUSTOMER_ID: customerId, USER_ID: userId };

const library = async () => (await client.listJobs()).arrayBuffer();
const bare = async () => {
  const response = await fetch(`${config.baseUrl}/jobs`, { headers, redirect: 'manual' });
  assert.equal(response.status, 200);
  return response.arrayBuffer();
};

/**
 * Makes the calls of a batch, and returns what they cost.
 *
 * @param {() => Promise<unknown>} call
 */
async function measure(call) {
  const [start, before] = [performance.now(), process.cpuUsage()];
  const chain = async () => {
    for (let i = 0; i < calls / atOnce; i++) await call();
  };
  await Promise.all(Array.from({ length: atOnce }, chain));
  const { user, system } = process.cpuUsage(before);
  return { cpu: user + system, time: performance.now() - start };
}

/** @type {{cpu: number, time: number}[]} */
const ratios = [];
for (let i = 0; i < pairs + warmUp; i++) {
  const order = i % 2 ? [library, bare] : [bare, library];
  const costs = new Map();
  for (const call of order) costs.set(call, await measure(call));
  const [own, other] = [costs.get(library), costs.get(bare)];
  if (i >= warmUp) ratios.push({ cpu: own.cpu / other.cpu, time: own.time / other.time });
}
await client.close();

const median = (/** @type {'cpu' | 'time'} */ of) => {
  const sorted = ratios.map((ratio) => ratio[of]).sort((a, b) => a - b);
  return sorted[Math.floor(pairs / 2)]?.toFixed(2);
};
const runtime = ['deno', 'bun', 'node'].find((name) => name in process.versions);
console.log(`${runtime}: list_jobs next to fetch: CPU ${median('cpu')}, time ${median('time')}`);
