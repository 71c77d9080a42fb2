// Shows the plugin at work; README.md tells what to set in the environment.

import process from 'node:process';
import { demo, explain, readConfig } from '../node/demo.js';
import { RosteringError } from '../node/rostering/index.js';

const built = new URL('../../dist/rostering-nowasi.wasm', import.meta.url);

try {
  const config = readConfig(process.env);
  await demo(await Deno.readFile(Deno.env.get('ROSTERING_WASM') || built), config);
} catch (error) {
  console.error(`failed: ${error}`);
  if (error instanceof RosteringError) console.error(explain(error));
  Deno.exitCode = 1;
}
