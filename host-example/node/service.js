// A service: GET /jobs returns the jobs. It listens on PORT, and prints the port.

import process from 'node:process';
import { Client, configFromEnv, RosteringError } from 'automatic-rostering';
import fastify from 'fastify';

process.once('uncaughtException', (error) => {
  console.error(String(error));
  process.exit(1);
});
const app = fastify({ logger: { level: process.env.LOG_LEVEL ?? 'info', stream: process.stderr } });
const client = await Client.open(configFromEnv(), { logger: app.log }); // one for all requests
app.addHook('onClose', () => client.close());

app.get('/jobs', async (request, reply) => {
  const jobs = await client.listJobs({ signal: request.signal }); // ends when the client disconnects
  reply.type(jobs.headers.get('Content-Type') ?? 'application/octet-stream');
  return jobs.body;
});

app.setErrorHandler((error, request, reply) => {
  if (!(error instanceof RosteringError)) {
    request.log.error(error);
    return reply.code(500).send({ code: 'internal', message: 'see the log' });
  }
  const { code, message, retryable, retryAfter = 1 } = error;
  request.log.warn(String(error)); // without error.body, which is not for everyone
  if (retryable) reply.header('Retry-After', retryAfter);
  return reply.code(retryable ? 503 : 502).send({ code, message });
});

// SIGTERM lets the requests in flight end. A kept-alive connection would keep the process for another minute.
let closing = false;
app.addHook('onSend', async (_request, reply) => void (closing && reply.header('Connection', 'close')));
process.once('SIGTERM', () => {
  closing = true;
  void app.close();
});

await app.listen({ host: process.env.HOST ?? '127.0.0.1', port: Number(process.env.PORT ?? 3000) });
const { port } = /** @type {import('node:net').AddressInfo} */ (app.server.address());
console.log(port);
