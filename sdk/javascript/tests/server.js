import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Starts a server until a test ends, and returns its URL.
 *
 * @param {import('node:test').TestContext} t
 * @param {import('node:http').RequestListener} respond
 */
export async function listen(t, respond) {
  const server = createServer(respond).listen(0, '127.0.0.1');
  t.after(() => server.close().closeAllConnections());
  await once(server, 'listening');
  return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
}
