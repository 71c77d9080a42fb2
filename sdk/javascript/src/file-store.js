import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @typedef {import('./store.js').Store} Store */

/**
 * A store for the processes of one machine, concurrent or one after the other: a folder with a file for each key, which
 * only its owner can read.
 *
 * @implements {Store}
 */
export class FileStore {
  #folder;

  /** @param {string} folder created if missing */
  constructor(folder) {
    this.#folder = folder;
  }

  /**
   * @param {string} key
   * @returns {Promise<string | null>}
   */
  async get(key) {
    const text = await read(this.#file(key));
    return text !== undefined && isFresh(text) ? JSON.parse(text).value : null;
  }

  /**
   * @param {string} key
   * @param {string} value
   * @param {number} ttlSeconds
   */
  async add(key, value, ttlSeconds) {
    const file = this.#file(key);
    const own = await this.#write(value, ttlSeconds);
    try {
      return (await linked(own, file)) || (await replaceExpired(file, own));
    } finally {
      await rm(own, { force: true });
    }
  }

  /**
   * @param {string} key
   * @param {string} value
   * @param {number} ttlSeconds
   */
  async set(key, value, ttlSeconds) {
    await rename(await this.#write(value, ttlSeconds), this.#file(key));
  }

  /**
   * Writes a new file with a random name.
   *
   * @param {string} value
   * @param {number} ttlSeconds
   */
  async #write(value, ttlSeconds) {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = join(this.#folder, `${randomUUID()}.tmp`);
    await writeFile(file, JSON.stringify({ expires_at: Date.now() / 1000 + ttlSeconds, value }), { mode: 0o600 });
    return file;
  }

  /**
   * A key contains colons, and may be too long for a file's name.
   *
   * @param {string} key
   */
  #file(key) {
    return join(this.#folder, createHash('sha256').update(key).digest('hex'));
  }
}

/**
 * Replaces a file that has expired, unless another process does. A second name of the new file, which only one process
 * can create, is the lock.
 *
 * @param {string} file
 * @param {string} own the new file
 */
async function replaceExpired(file, own) {
  if (isFresh(await read(file))) return false;
  const lock = `${file}.lock`;
  if (!(await linked(own, lock))) {
    const held = await read(lock);
    if (held && !isFresh(held)) await rm(lock, { force: true }); // its process has died
    return false;
  }
  try {
    if (isFresh(await read(file))) return false; // another process has replaced it
    await rename(own, file);
    return true;
  } finally {
    await rm(lock, { force: true });
  }
}

/** @param {string} file */
const read = (file) => readFile(file, 'utf8').catch(unless('ENOENT'));

/** @param {string} [text] */
function isFresh(text) {
  return text !== undefined && Date.now() / 1000 < JSON.parse(text).expires_at;
}

/**
 * Adds a name to a file, unless the name is taken.
 *
 * @param {string} file
 * @param {string} name
 */
async function linked(file, name) {
  return (await link(file, name).then(() => true, unless('EEXIST'))) ?? false;
}

/**
 * Ignores errors with one code.
 *
 * @param {string} code
 */
const unless = (code) => (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== code) throw error;
  return undefined;
};
