// The adapter for Node, Deno and Bun.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import { FileStore } from 'automatic-rostering/file';
import { RedisStore } from 'automatic-rostering/redis';
import { createClient } from 'redis';
import { Adapter } from './adapter.js';

const print = (/** @type {object} */ object) => console.log(JSON.stringify(object));

const everything = {
  ...{ depth: 100, showHidden: true, getters: true, maxStringLength: Infinity, maxArrayLength: Infinity },
  strAbbreviateSize: 1e9, // of Deno
};
const { Deno, Bun } = /** @type {any} */ (globalThis);
/** How the runtime may show an error. @type {((error: unknown, options: object) => string)[]} */
const inspections = [inspect, Deno?.inspect, Bun?.inspect].filter(Boolean);

const adapter = new Adapter({
  emit: print,
  read: (path) => readFile(path),
  show: (error) => inspections.map((inspect) => inspect(error, everything)).join('\n'),
  stores: {
    file: (url) => new FileStore(url.slice(5)),
    async redis(url) {
      const client = createClient({ url, disableOfflineQueue: true }).on('error', () => {});
      client.connect().catch(() => {}); // until the server is up, the store fails
      await once(client, 'ready').catch(() => {});
      return new RedisStore(client);
    },
  },
});

/** @type {Map<number, AbortController>} */
const running = new Map();

/** @param {import('./adapter.js').Request} request */
async function respond(request) {
  const { id, op, target } = request;
  if (op === 'cancel') return void running.get(target)?.abort('canceled');
  const controller = new AbortController();
  running.set(id, controller);
  return adapter.respond(request, controller).finally(() => running.delete(id));
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const responded = respond(request).then((response) => print({ id: request.id, ...response }));
  if (request.op === 'open') await responded;
}
process.exit(); // clients that were not closed may still have requests
