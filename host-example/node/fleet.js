// A process of a fleet, whose processes share a token through ROSTERING_STORE: redis://… or a folder.
//
// Each line on standard input is a number of calls to make. The result is a line of JSON,
// {"calls":5,"token":"1f2e3d4c","expires_at":1800000000}, with the beginning of the token's SHA-256. A call that fails ends
// the process.

import { createHash } from 'node:crypto';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { Client, configFromEnv } from 'automatic-rostering';
import { FileStore } from 'automatic-rostering/file';
import { RedisStore } from 'automatic-rostering/redis';
import { createClient } from 'redis';

process.once('uncaughtException', (error) => {
  console.error(String(error));
  process.exit(1);
});
const { ROSTERING_STORE = '' } = process.env;
const redis = ROSTERING_STORE.startsWith('redis:') ? await connect(ROSTERING_STORE) : undefined;
const store = redis ? new RedisStore(redis) : new FileStore(ROSTERING_STORE);
const client = await Client.open(configFromEnv(), { store });
for await (const line of createInterface(process.stdin)) console.log(JSON.stringify(await make(Number(line))));
await client.close();
redis?.destroy();

/** @param {string} url */
async function connect(url) {
  // Without the queue, commands fail at once while the server is down, and the client continues without the store.
  const redis = createClient({ url, disableOfflineQueue: true });
  redis.on('error', ({ code, name }) => console.error(`Redis: ${code ?? name}`));
  return redis.connect();
}

/**
 * Makes calls, and returns how many, and with which token.
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
