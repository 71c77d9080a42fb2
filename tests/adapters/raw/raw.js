// The raw host on Node, Deno and Bun: responds to each line of its standard input.

import process from 'node:process';
import { createInterface } from 'node:readline';
import { respond } from './respond.js';

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const runInWorker = !('Suspending' in WebAssembly) && request.allowed_hosts !== undefined;
  const options = { runInWorker, ...(runInWorker && { fetch: answerFailures }) };
  for (const response of await respond(request, options)) console.log(JSON.stringify(response));
}
process.exit(); // an instance may have a worker

// A fetch that never throws: in a worker, the call after one in which fetch throws would hang. Status 0 tells the plugin
// that there was no response.
/** @param {any} url @param {RequestInit} [init] @returns {Promise<any>} */
async function answerFailures(url, init) {
  try {
    const { status, headers, body } = await fetch(url, init);
    const whole = await new Response(body).arrayBuffer(); // so that the SDK never sees one that breaks off
    return { status, headers, arrayBuffer: async () => whole };
  } catch {
    return Response.error();
  }
}
