// Shows the plugin at work; README.md tells what to set in the environment.

import { readFile } from 'node:fs/promises';
import { demo, explain, readConfig } from './demo.js';
import { RosteringError } from './rostering/index.js';

const built = new URL('../../dist/rostering-nowasi.wasm', import.meta.url);

try {
  const config = readConfig(process.env);
  await demo(await readFile(process.env.ROSTERING_WASM || built), config);
} catch (error) {
  console.error(`failed: ${error}`);
  if (error instanceof RosteringError) console.error(explain(error));
  process.exitCode = 1;
}
