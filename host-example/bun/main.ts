// Shows the plugin at work; README.md tells what to set in the environment.

import { demo, explain, readConfig } from '../node/demo.js';
import { RosteringError } from '../node/rostering/index.js';

const built = new URL('../../dist/rostering-nowasi.wasm', import.meta.url);

try {
  const config = readConfig(process.env);
  await demo(await Bun.file(process.env.ROSTERING_WASM || built).arrayBuffer(), config);
} catch (error) {
  console.error(`failed: ${error}`);
  if (error instanceof RosteringError) console.error(explain(error));
  process.exitCode = 1;
}
