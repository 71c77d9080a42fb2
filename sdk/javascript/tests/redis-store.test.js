// A real Redis server, on loopback, which ends with the test.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createClient } from 'redis';
import { RedisStore } from '../src/redis-store.js';
import { start } from './start.js';
import { testStore } from './store.test.js';

// The permissions in the README.
const rules = '~rostering:* -@all +get +set';

/** @typedef {import('node:test').TestContext} TestContext */

/**
 * Starts a Redis server without persistence, and connects a client. Without redis-server the test is skipped.
 *
 * @param {TestContext} t
 */
async function startRedis(t) {
  const port = await freePort();
  const server = spawn('redis-server', ['-'], { stdio: ['pipe', 'ignore', 'inherit'] });
  try {
    await once(server, 'spawn');
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    t.skip('redis-server is missing: apt-get install redis-server');
    return undefined;
  }
  const ended = once(server, 'exit');
  const end = async () => {
    server.kill('SIGKILL');
    await ended;
  };
  t.after(end);
  const user = `user default off\nuser rostering on >password ${rules}\n`;
  server.stdin.end(`bind 127.0.0.1\nport ${port}\nsave ""\nappendonly no\n${user}`);
  while (!(await listens(port))) await setTimeout(10, undefined, { signal: t.signal });
  const url = `redis://rostering:password@127.0.0.1:${port}`;
  const client = await createClient({ url, disableOfflineQueue: true })
    .on('error', () => {})
    .connect();
  t.after(() => client.destroy());
  return { client, end };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/** @param {number} port */
async function listens(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

testStore('Redis', async (t) => {
  const redis = await startRedis(t);
  return redis && (() => new RedisStore(redis.client));
});

test('no call fails when the Redis server dies', { timeout: 30_000 }, async (t) => {
  const redis = await startRedis(t);
  if (!redis) return;
  const { sandbox, client } = await start(t, { store: new RedisStore(redis.client) });
  await client.listJobs();
  await redis.end();
  await sandbox.revoke();
  assert.equal((await client.listJobs()).status, 200);
  assert.equal((await sandbox.counts()).token_requests, 2);
});
