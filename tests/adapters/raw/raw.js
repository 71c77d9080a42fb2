// The raw host on Node, Deno and Bun: responds to each line of its standard input.

import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { respond } from './respond.js';

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line);
  const runInWorker = !('Suspending' in WebAssembly) && request.allowed_hosts !== undefined;
  const options = { runInWorker, ...(runInWorker && { fetch: answerFailures }) };
  const versions = request.op === 'versions' && [{ id: request.id, versions: await readVersions() }];
  for (const response of versions || (await respond(request, options))) console.log(JSON.stringify(response));
}
process.exit(); // an instance may have a worker

/**
 * A fetch that never throws: in a worker, the call after one in which fetch throws would hang. Status 0 tells the plugin
 * that there was no response.
 *
 * @param {any} url
 * @param {RequestInit} [init]
 * @returns {Promise<any>}
 */
async function answerFailures(url, init) {
  try {
    const { status, headers, body } = await fetch(url, init);
    const whole = await new Response(body).arrayBuffer(); // so that the SDK never sees one that breaks off
    return { status, headers, arrayBuffer: async () => whole };
  } catch {
    return Response.error();
  }
}

async function readVersions() {
  const { deno, bun, node, undici } = /** @type {Record<string, string>} */ (process.versions);
  const runtime = bun ? `Bun ${bun}` : `Node ${node}, undici ${undici}`;
  const sdk = JSON.parse(await readFile(new URL('node_modules/extism/package.json', import.meta.url), 'utf8'));
  return `${deno ? `Deno ${deno}` : runtime}, extism ${sdk.version}`;
}
