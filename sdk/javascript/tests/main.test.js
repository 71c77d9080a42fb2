import { testPrograms } from './programs.js';

const node = [process.execPath, '--disable-warning=ExperimentalWarning'];
testPrograms(new URL('..', import.meta.url), (program) => [...node, program], 'js');
