// The least that a program needs. main.js shows more, and README.md tells what to set in the environment.

import { readFile } from 'node:fs/promises';
import { readConfig } from './demo.js';
import { Rostering, RosteringError } from './rostering/index.js';

const config = readConfig(process.env);
// snippet
const wasm = await readFile('../../dist/rostering-nowasi.wasm');
const client = await Rostering.open(wasm, config); // once in each process
try {
  const body = await client.listJobs(); // anywhere, as often as you like
  console.log(JSON.parse(new TextDecoder().decode(body)));
} catch (error) {
  if (!(error instanceof RosteringError)) throw error;
  console.error(error.code, error.message);
  if (error.retryable) console.error(`call again in ${error.retryAfter ?? 1} s`);
} finally {
  await client.close();
}
// end of snippet
