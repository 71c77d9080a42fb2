import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * Starts an identity provider and a service at one URL, until a test ends.
 *
 * @param {import('node:test').TestContext} t
 * @param {(requests: number, token: string) => number} [status] of the service's responses; 0 ends the connection
 */
export async function listen(t, status = () => 200) {
  let tokens = 0;
  let requests = 0;
  const server = createServer(({ method, headers, socket }, response) => {
    const code = method === 'POST' ? 200 : status(++requests, headers.authorization?.slice('Bearer '.length) ?? '');
    const token = { access_token: `token-000${tokens + 1}`, token_type: 'Bearer', expires_in: 3600 };
    if (method === 'POST') tokens++;
    if (code === 0) socket.destroy();
    else response.writeHead(code).end(method === 'POST' ? JSON.stringify(token) : '[]');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, tokens: () => tokens, requests: () => requests };
}
