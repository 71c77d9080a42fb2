import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readConfig } from '../demo.js';
import { Sandbox } from './sandbox.js';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('..', import.meta.url));

const program = `
import { Rostering } from 'automatic-rostering';
import { FileStore } from 'automatic-rostering/file-store.js';
const client = await Rostering.open(JSON.parse(process.argv[2]), { store: new FileStore('tokens') });
console.log(await (await client.listJobs()).text());
await client.close();
`;

test('the package, where it is installed', { timeout: 300_000 }, async (t) => {
  const sandbox = await Sandbox.start(t);
  const cwd = await mkdtemp(join(tmpdir(), 'rostering-'));
  t.after(() => rm(cwd, { recursive: true }));
  await run(join(folder, 'package.sh'));
  const installed = join(cwd, 'node_modules/automatic-rostering');
  await cp(join(folder, 'build/package'), installed, { recursive: true });
  await symlink(join(folder, 'node_modules/extism'), join(cwd, 'node_modules/extism'));
  await access(join(installed, 'index.d.ts'));
  await writeFile(join(cwd, 'program.mjs'), program);
  const { stdout } = await run(process.execPath, ['program.mjs', JSON.stringify(readConfig(sandbox.env))], { cwd });
  assert.equal(JSON.parse(stdout).user_id, sandbox.env.ROSTERING_USER_ID);
});
