// Vercel's Edge runtime compiles nothing at run time, and its bundlers compile what has this query.

import module from './rostering-core.wasm?module';

export const compiled = () => module;
