import { isUtf8 } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { link, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** @typedef {import('./store.js').Store} Store */

const most = 65 * 1024; // bytes, more than a file of this store has

/**
 * A store for the processes of one machine, in any of the languages: a folder that only its owner can read.
 *
 * @implements {Store}
 */
export class FileStore {
  #folder;

  /** @param {string} folder created if missing @throws {Error} if it cannot be created or written */
  constructor(folder) {
    if (typeof folder !== 'string' || folder === '') throw new TypeError('FileStore: expected the path of a folder');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmdirSync(mkdtempSync(join(folder, 'probe-'))); // Deno's accessSync needs a permission
    this.#folder = folder;
  }

  /** @param {string} key @returns {Promise<string | null>} */
  async get(key) {
    return (await read(this.#file(key))) ?? null;
  }

  /** @param {string} key @param {string} value @param {number} ttlSeconds */
  async add(key, value, ttlSeconds) {
    const file = this.#file(key);
    return this.#write(file, value, ttlSeconds, async (temporary) => {
      const found = await read(file);
      if (typeof found === 'string') return false;
      if (found === null) await rm(file, { force: true }); // only then: another process may have added one since
      return (await link(temporary, file).then(() => true, unless('EEXIST'))) ?? false;
    });
  }

  /** @param {string} key @param {string} value @param {number} ttlSeconds */
  async set(key, value, ttlSeconds) {
    const file = this.#file(key);
    await this.#write(file, value, ttlSeconds, (temporary) => replace(temporary, file));
  }

  /** @param {string} key which has colons and may be too long for the name of a file */
  #file(key) {
    return join(this.#folder, createHash('sha256').update(key).digest('hex'));
  }

  /**
   * Writes a temporary file, gives it its name with `place`, and removes temporary files that processes left when they died.
   *
   * @template T
   * @param {string} file
   * @param {string} value
   * @param {number} ttlSeconds
   * @param {(temporary: string) => Promise<T>} place
   */
  async #write(file, value, ttlSeconds, place) {
    for (const name of await readdir(this.#folder)) {
      if (!/^[0-9a-f]{64}\.tmp\./.test(name)) continue;
      const old = join(this.#folder, name);
      const found = await stat(old).catch(unless('ENOENT'));
      if (found && Date.now() - found.mtimeMs > 60_000) await rm(old, { force: true });
    }
    const temporary = `${file}.tmp.${randomBytes(16).toString('hex')}`;
    try {
      const content = `${Date.now() + Math.round(ttlSeconds * 1000)}\n${value}`;
      await writeFile(temporary, content, { flag: 'wx', mode: 0o600 });
      return await place(temporary);
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

/** @param {string} file @returns {Promise<string | null | undefined>} null if it has expired, undefined if there is no file */
async function read(file) {
  const found = await stat(file).catch(unless('ENOENT'));
  if (found && found.size > most) return null;
  const content = await readFile(file).catch(unless('ENOENT'));
  if (!content) return undefined;
  const [, expiry, value = ''] = /^(\d+)\n(.*)$/s.exec(content.toString()) ?? [];
  return isUtf8(content) && Date.now() < Number(expiry) ? value : null;
}

/**
 * Retries for half a second, because Windows replaces no file while another process reads it.
 *
 * @param {string} temporary @param {string} file @returns {Promise<void>}
 */
const replace = (temporary, file, tries = 20) =>
  rename(temporary, file).catch(async (error) => {
    if (tries === 1) throw error;
    await setTimeout(25);
    return replace(temporary, file, tries - 1);
  });

/** Returns a handler that ignores errors with a code. @param {string} code */
const unless = (code) => (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== code) throw error;
  return undefined;
};
