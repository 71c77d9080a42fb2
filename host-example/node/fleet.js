// A process of a fleet; README.md tells what a fleet is.
//
// Beside the variables of main.js, ROSTERING_REDIS is the address of the Redis through which it shares its token;
// without it, it does not share. Each line on standard input is a number of calls to make; a line of JSON answers it:
// {"calls":5,"token":"1f2e3d4c","expires_at":1800000000}, where `token` is the beginning of its SHA-256. A call that
// fails ends the process.

import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import { createClient } from 'redis';
import { readConfig } from './demo.js';
import { Rostering } from './rostering/index.js';
import { RedisStore } from './rostering/redis-store.js';

const { ROSTERING_WASM, ROSTERING_REDIS } = process.env;

const redis = ROSTERING_REDIS ? await connect(ROSTERING_REDIS) : undefined;
const client = await Rostering.open(readConfig(process.env), {
  ...(redis && { store: new RedisStore(redis) }),
  ...(ROSTERING_WASM && { plugin: ROSTERING_WASM }),
});
try {
  for await (const line of createInterface(process.stdin)) console.log(JSON.stringify(await make(Number(line))));
} finally {
  await client.close();
  redis?.destroy();
}

/** @param {string} url */
async function connect(url) {
  // Without the queue, a command fails at once while Redis is down, and the client goes on without the store.
  const redis = createClient({ url, disableOfflineQueue: true });
  redis.on('error', ({ code }) => console.error(`Redis: ${code}`));
  return redis.connect();
}

/**
 * Makes calls, and tells with which token the last one was made.
 *
 * @param {number} calls
 */
async function make(calls) {
  for (let i = 0; i < calls; i++) await client.listJobs();
  if (!calls) return { calls };
  const token = await client.getToken();
  const digest = createHash('sha256').update(token.accessToken).digest('hex').slice(0, 8);
  return { calls, token: digest, expires_at: token.expiresAt.getTime() / 1000 };
}
