import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** @typedef {{method?: string | undefined, headers: import('node:http').IncomingHttpHeaders, body: string}} Received */

/**
 * Starts a server that redirects `/?status=307&to=URL`, and responds to other requests with 200.
 *
 * @param {import('node:test').TestContext} t
 */
export async function listen(t) {
  /** @type {Received[]} */
  const received = [];
  const server = createServer(async (request, response) => {
    const { method, headers } = request;
    received.push({ method, headers, body: await text(request) });
    const query = new URL(request.url ?? '', 'http://host').searchParams;
    response.writeHead(Number(query.get('status') ?? 200), { Location: query.get('to') ?? '' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { received, url: `http://127.0.0.1:${port}` };
}
