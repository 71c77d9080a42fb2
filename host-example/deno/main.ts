// Shows the client at work; README.md tells what to set in the environment.

import process from 'node:process';
import { demo, explain, readConfig } from '../node/demo.js';
import { RosteringError } from '../node/rostering/index.js';

try {
  await demo(readConfig(process.env), Deno.env.get('ROSTERING_WASM'));
} catch (error) {
  console.error(`failed: ${error}`);
  if (error instanceof RosteringError) console.error(explain(error));
  Deno.exitCode = 1;
}
