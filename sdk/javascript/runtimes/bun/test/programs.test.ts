import { testPrograms } from '../../node/test/programs.js';

testPrograms(new URL('..', import.meta.url), (program) => [process.execPath, program], 'ts');
