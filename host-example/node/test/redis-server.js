// Servers in the place of Redis, on loopback. They end with the test.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** @typedef {import('node:test').TestContext} TestContext */

export const password = 'p:/@ssword';
export const escaped = encodeURIComponent(password);
// What the README says that the user needs.
const rules = '~rostering:* -@all +get +getrange +set +eval +del';

/**
 * A real one, which keeps nothing. Gives its address, or undefined, and the test is skipped.
 *
 * @param {TestContext} t
 * @returns {Promise<string | undefined>}
 */
export async function startRedis(t) {
  const port = await freePort();
  const redis = spawn('redis-server', ['-'], { stdio: ['pipe', 'ignore', 'inherit'] });
  try {
    await once(redis, 'spawn');
  } catch (error) {
    if (process.env.CI === 'true') throw error;
    t.skip('redis-server is missing: apt-get install redis-server');
    return undefined;
  }
  const ended = once(redis, 'exit');
  t.after(async () => {
    redis.kill('SIGKILL');
    await ended;
  });
  redis.stdin.end(
    `bind 127.0.0.1\nport ${port}\nsave ""\nappendonly no\nuser default off\nuser rostering on >${password} ${rules}\n`,
  );
  while (!(await listens(port))) await setTimeout(10, undefined, { signal: t.signal });
  return `redis://rostering:${escaped}@127.0.0.1:${port}`;
}

/**
 * One that gives the same answer to each command, or none.
 *
 * @param {TestContext} t
 * @param {string} [answer]
 */
export async function startStub(t, answer = '') {
  const stub = { connections: 0, open: 0, url: '' };
  const server = createServer((socket) => {
    stub.connections++;
    stub.open++;
    socket.on('error', () => {});
    socket.on('close', () => stub.open--);
    socket.on('data', (data) => {
      const commands = data.toString('latin1').match(/(^|\r\n)\*/g)?.length ?? 0;
      socket.write(answer.repeat(commands));
    });
    t.after(() => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  stub.url = `redis://127.0.0.1:${portOf(server)}`;
  return stub;
}

/** A port on which nothing listens. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

/** @param {import('node:net').Server} server */
const portOf = (server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port;

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
