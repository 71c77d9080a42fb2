// workerd compiles nothing at run time: what the Worker imports is compiled when it is deployed.

import module from './rostering-core.wasm';

export const compiled = () => module;
