// Measures calls of the library, or the same requests with fetch alone, as each line of standard input asks:
// {"who":"library"|"bare","calls":500,"at_once":16,"pause_ms":0}. On Node, Deno and Bun.

import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { Client, configFromEnv } from '../src/index.js';

/** @typedef {{who: 'library' | 'bare', calls: number, at_once: number, pause_ms: number}} Block */

const config = configFromEnv();
const client = await Client.open(config);
await client.listJobs();
const { accessToken } = await client.getToken();

/** @type {Record<string, string>} */
const headers = {
  Authorization: `Bearer ${accessToken}`,
  CUSTOMER_ID: config.customerId ?? '',
  USER_ID: config.userId ?? '',
};
const url = `${config.baseUrl}/jobs`;

const make = {
  library: () => client.listJobs(),
  async bare() {
    const response = await fetch(url, { headers, redirect: 'manual' });
    if (!response.ok) throw new Error(`the service responded with ${response.status}`);
    return response.arrayBuffer();
  },
};

/**
 * Makes calls, and returns the CPU time of the process and the wall time of each call.
 *
 * @param {Block} block
 */
async function measure({ who, calls, at_once: atOnce, pause_ms: pause }) {
  /** @type {number[]} */
  const wall = [];
  let left = calls;
  const worker = async () => {
    while (left-- > 0) {
      const start = performance.now();
      await make[who]();
      wall.push(Math.round((performance.now() - start) * 1000));
      if (pause > 0) await setTimeout(pause);
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: atOnce }, worker));
  const { user, system } = process.cpuUsage(before);
  return { cpu_us: user + system, wall_us: wall };
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await measure(JSON.parse(line))));
}
await client.close();
