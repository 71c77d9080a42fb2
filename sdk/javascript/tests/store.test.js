// What a store must do: in memory, in files, and in Redis.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { FileStore } from '../src/file-store.js';
import { MemoryStore } from '../src/index.js';
import { Sandbox } from './sandbox.js';
import { open as openClient } from './start.js';

/** @typedef {import('../src/index.js').Store} Store */
/** @typedef {import('node:test').TestContext} TestContext */

const key = `rostering:${'k/'.repeat(200)}:asking`;

/**
 * @param {string} name
 * @param {(t: TestContext) => Promise<(() => Store) | undefined>} place opens the same store each time
 */
export function testStore(name, place) {
  test(`${name}: values, until they expire`, { timeout: 30_000 }, async (t) => {
    const open = await place(t);
    if (!open) return;
    const [store, other] = [open(), open()];
    assert.equal(await store.get(key), null);
    assert.equal(await store.add(key, 'é', 60), true);
    assert.deepEqual([await other.add(key, 'no', 60), await other.get(key)], [false, 'é']);
    await store.set(key, 'set', 1);
    assert.deepEqual([await other.get(key), await other.get(`${key}2`)], ['set', null]);
    while (await store.get(key)) await setTimeout(50);
    assert.deepEqual([await store.add(key, 'again', 60), await other.add(key, 'no', 60)], [true, false]);
    const add = (/** @type {unknown} */ _, /** @type {number} */ i) =>
      (i % 2 ? store : other).add(`${key}new`, `${i}`, 60);
    const added = await Promise.all(Array.from({ length: 20 }, add));
    assert.deepEqual([added.filter(Boolean).length, await store.get(`${key}new`)], [1, `${added.indexOf(true)}`]);
  });

  test(`${name}: clients share a token`, { timeout: 30_000 }, async (t) => {
    const open = await place(t);
    if (!open) return;
    const sandbox = await Sandbox.start(t);
    const clients = await Promise.all([1, 2, 3].map(() => openClient(t, sandbox, { store: open() })));
    await Promise.all(clients.map((client) => client.listJobs()));
    assert.equal((await sandbox.counts()).token_requests, 1);
    await sandbox.revoke();
    for (const client of clients) await client.listJobs(); // at once, several processes could take an expired lock in files
    assert.equal((await sandbox.counts()).token_requests, 2);
  });
}

testStore('memory', async () => {
  const store = new MemoryStore();
  return () => store;
});

/** @param {TestContext} t */
async function folder(t) {
  const folder = await mkdtemp(join(tmpdir(), 'rostering-'));
  t.after(() => rm(folder, { recursive: true }));
  return join(folder, 'tokens');
}

testStore('files', async (t) => {
  const path = await folder(t);
  return () => new FileStore(path);
});

test('files: the format of all languages, readable only by the owner', async (t) => {
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

test('files: temporary files of a process that died are removed', async (t) => {
  const path = await folder(t);
  const store = new FileStore(path);
  const [dead, alive] = ['dead', 'alive'].map((name) => join(path, `${'0'.repeat(64)}.tmp.${name}`));
  for (const file of [dead, alive]) await writeFile(file ?? '', 'text');
  await utimes(dead ?? '', 0, Date.now() / 1000 - 90);
  await store.set(key, 'a', 60);
  assert.deepEqual(
    (await readdir(path)).filter((name) => name.includes('tmp')),
    [`${'0'.repeat(64)}.tmp.alive`],
  );
});

test('files: the error names a folder that cannot be created', async (t) => {
  const file = join(await folder(t), '..', 'file');
  await writeFile(file, '');
  for (const path of [file, join(file, 'tokens')]) {
    assert.throws(
      () => new FileStore(path),
      (/** @type {Error} */ error) => error.message.includes(path),
    );
  }
  for (const path of ['', undefined]) assert.throws(() => new FileStore(/** @type {any} */ (path)), TypeError);
});
