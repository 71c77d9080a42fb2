import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Service } from './service.js';

const run = promisify(execFile);
const folder = fileURLToPath(new URL('..', import.meta.url));
const modules = join(folder, 'node_modules');

const program = `
import { Rostering, RosteringError, type Config, type Code, type Store } from 'automatic-rostering';
import { FileStore } from 'automatic-rostering/file-store.js';
const config: Config = JSON.parse(process.argv[2] ?? '');
const store: Store = new FileStore('tokens');
const client = await Rostering.open(config, { store });
const response: Response = await client.sendRequest({ path: '/jobs', method: 'POST', body: new Blob(['a']) });
console.log(await response.text());
const code = (error: RosteringError): Code => error.code;
await client.close();
`;

test('the package, in a TypeScript program', { timeout: 120_000 }, async (t) => {
  const service = new Service();
  await service.listen();
  const cwd = await mkdtemp(join(tmpdir(), 'rostering-'));
  t.after(() => Promise.all([service.close(), rm(cwd, { recursive: true })]));
  await run(join(folder, 'package.sh'));
  await cp(join(folder, 'build/package'), join(cwd, 'node_modules/automatic-rostering'), { recursive: true });
  for (const name of ['extism', '@types']) await symlink(join(modules, name), join(cwd, 'node_modules', name));
  await writeFile(join(cwd, 'program.mts'), program);
  const options = ['--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  await run(join(modules, '.bin/tsc'), [...options, 'program.mts'], { cwd });
  const { stdout } = await run(process.execPath, ['program.mjs', JSON.stringify(service.config)], { cwd });
  assert.deepEqual([stdout, service.bodies], ['[{"id":1}]\n', ['a']]);
});
