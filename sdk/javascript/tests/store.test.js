// What a store in files does beside what every store does.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { FileStore } from '../src/file-store.js';

const key = `rostering:${'k/'.repeat(200)}:lock`;

/** @param {import('node:test').TestContext} t */
async function folder(t) {
  const folder = await mkdtemp(join(tmpdir(), 'rostering-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'tokens');
}

test('the format of all languages, readable only by the owner', async (t) => {
  const path = await folder(t);
  const store = new FileStore(path);
  const hash = createHash('sha256').update(key).digest('hex');
  await store.add(key, 'a', 60);
  await store.add(key, 'b', 60);
  await store.set(key, 'é\n', 60);
  const file = join(path, hash);
  assert.deepEqual(await readdir(path), [hash]);
  assert.match(await readFile(file, 'utf8'), /^\d{13}\né\n$/);
  const modes = [await stat(path), await stat(file)].map(({ mode }) => mode & 0o777);
  assert.deepEqual(modes, [0o700, 0o600]);

  await writeFile(file, `${Date.now() + 60_000}\nof another process`);
  assert.deepEqual([await store.get(key), await store.add(key, 'no', 60)], ['of another process', false]);
  for (const text of ['', 'text', '9'.repeat(13), Buffer.from([...Buffer.from('9999999999999\n'), 0xff])]) {
    await writeFile(file, text);
    assert.equal(await store.get(key), null);
  }
  assert.deepEqual([await store.add(key, 'next', 60), await store.get(key)], [true, 'next']);
});

test('temporary files of a process that died are removed', async (t) => {
  const path = await folder(t);
  const store = new FileStore(path);
  const [dead, alive] = ['dead', 'alive'].map((name) => join(path, `${'0'.repeat(64)}.tmp.${name}`));
  for (const file of [dead, alive]) await writeFile(file ?? '', 'text');
  await utimes(dead ?? '', 0, Date.now() / 1000 - 90);
  await store.set(key, 'a', 60);
  assert.deepEqual(
    (await readdir(path)).filter((name) => name.includes('tmp')),
    [basename(alive ?? '')],
  );
});

test('the error names a folder that cannot be created', async (t) => {
  const file = join(await folder(t), '..', 'file');
  await writeFile(file, '');
  for (const path of [file, join(file, 'tokens')])
    assert.throws(() => new FileStore(path), { message: new RegExp(path) });
  for (const path of ['', undefined]) assert.throws(() => new FileStore(/** @type {any} */ (path)), TypeError);
});
