// The adapter for Cloudflare's workerd. It runs worker.js, or the file that its argument names, once for each file of the plugin,
// because workerd compiles that when it starts; sends it each request; and cancels one by hanging up.

import { once } from 'node:events';
import { request as send } from 'node:http';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { startWorker } from '../../../host-example/workerd/local.js';

/** @typedef {ReturnType<typeof startWorker>} Worker */

/** @type {Map<string | undefined, Worker>} by the plugin's file */
const workers = new Map();

/** @type {Map<string | undefined, Worker>} by the client: its Worker, once its last request has begun */
const turns = new Map();

/** @type {Map<number, AbortController>} */
const running = new Map();

/** @param {string} line */
async function respond(line) {
  const { id, op, client, wasm, target } = JSON.parse(line);
  if (op === 'cancel') {
    running.get(target)?.abort();
    return print({ id });
  }
  const controller = new AbortController();
  running.set(id, controller);
  let responded = false;
  try {
    const turn = op === 'open' ? start(wasm) : (turns.get(client) ?? start(undefined));
    const begun = turn.then(({ url }) => begin(url, line, controller.signal));
    const next = () => turn;
    turns.set(client, begun.then(next, next));
    for await (const received of createInterface({ input: await begun })) {
      console.log(received);
      responded ||= received.startsWith('{"id"'); // and not an event
    }
    if (!responded) throw new Error('the Worker ended without a response');
  } catch (error) {
    if (!responded) print({ id, text: controller.signal.aborted ? 'canceled' : String(error) });
  } finally {
    running.delete(id);
  }
}

/** Starts the Worker with a plugin, unless it runs. @param {string | undefined} wasm */
function start(wasm) {
  const worker =
    workers.get(wasm) ?? startWorker(new URL(process.argv[2] ?? 'worker.js', import.meta.url), wasm ? { wasm } : {});
  workers.set(wasm, worker);
  return worker;
}

/** Returns the response to a request once that has begun. @param {URL} url @param {string} line @param {AbortSignal} signal */
async function begin(url, line, signal) {
  const request = send(url, { method: 'POST', agent: false });
  // workerd notices a connection that is reset, but not one that is closed.
  signal.addEventListener('abort', () => (request.socket ? request.socket.resetAndDestroy() : request.destroy()));
  request.end(line);
  const [response] = await once(request, 'response');
  if (response.statusCode !== 200) throw new Error(`workerd responded with ${response.statusCode}`);
  return response;
}

const print = (/** @type {object} */ object) => console.log(JSON.stringify(object));

for await (const line of createInterface({ input: process.stdin })) void respond(line);
for (const worker of workers.values()) await (await worker).end(); // workerd would outlive this process
process.exit();
