// Runs what wrangler has bundled in workerd, and prints what it answers.

import process from 'node:process';
import { Miniflare } from 'miniflare';

const miniflare = new Miniflare({
  host: '127.0.0.1',
  cf: false, // it would be fetched
  modules: true,
  modulesRoot: 'out',
  scriptPath: 'out/index.js',
  modulesRules: [{ type: 'CompiledWasm', include: ['**/*.wasm'] }],
  compatibilityDate: '2026-04-26',
  compatibilityFlags: ['enable_request_signal'],
  bindings: process.env,
  durableObjects: { TOKEN_STORE: { className: 'StoreEntry', useSQLite: true } },
});
try {
  console.log(await (await fetch(await miniflare.ready)).text());
} finally {
  await miniflare.dispose();
}
