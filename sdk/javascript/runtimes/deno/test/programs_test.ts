import { testPrograms } from '../../node/test/programs.js';

const folder = new URL('../', import.meta.url);

// What the programs need, and no more.
const permissions = [
  '--no-prompt',
  '--allow-read=../../dist,../node/rostering',
  '--allow-env=ROSTERING_*,EXTISM_ENABLE_WASI_OUTPUT,__MINIMATCH_TESTING_PLATFORM__',
  '--allow-net=127.0.0.1',
];

testPrograms(folder, (program) => [Deno.execPath(), 'run', ...permissions, program], 'ts');
