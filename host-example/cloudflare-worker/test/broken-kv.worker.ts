// The Worker with a KV that fails, or never answers.

import worker from '../src/index.js';
import type { Env } from '../src/config.js';

const answers = {
  fails: () => Promise.reject(new Error('KV GET failed: 500 Internal Server Error')),
  hangs: () => new Promise<never>(() => {}),
};

export default {
  fetch(request, env, context) {
    const answer = answers[env.KV];
    const TOKENS = { get: answer, put: answer } as unknown as KVNamespace;
    return worker.fetch(request, { ...env, TOKENS }, context);
  },
} satisfies ExportedHandler<Env & { KV: keyof typeof answers }>;
