// A process of a fleet; README.md tells what a fleet is.
//
// Beside the variables of main.js, ROSTERING_REDIS is the address of the Redis that it shares its token through,
// and without it, it does not share; ROSTERING_LOCK is the lock's time in seconds, 10 if not set. Each line on
// standard input is a number of calls to make; a line of JSON answers it:
// {"calls":5,"token":"1f2e3d4c","expires_at":1800000000}, where `token` is the beginning of its SHA-256. A call that
// fails ends the process.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { readConfig } from './demo.js';
import { Fleet } from './rostering/fleet.js';
import { Rostering } from './rostering/index.js';
import { RedisStore } from './rostering/redis-store.js';

const { ROSTERING_WASM, ROSTERING_REDIS, ROSTERING_LOCK } = process.env;
const wasm = await readFile(ROSTERING_WASM || new URL('../../dist/rostering-nowasi.wasm', import.meta.url));
const config = readConfig(process.env);

const client = ROSTERING_REDIS ? await openFleet(ROSTERING_REDIS) : await openAlone(config);
try {
  for await (const line of createInterface(process.stdin)) console.log(JSON.stringify(await make(Number(line))));
} finally {
  await client.close();
}

/** @param {import('./rostering/index.js').Config} config */
function openAlone(config) {
  return Rostering.openDriver(wasm, config);
}

/** @param {string} redis */
function openFleet(redis) {
  const store = new RedisStore(redis, { log: (level, line) => console.error(level, line) });
  return Fleet.open(openAlone, config, store, { lockMs: Number(ROSTERING_LOCK || 10) * 1000 });
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
