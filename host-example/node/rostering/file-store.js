import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A store for the processes of one machine, or of a machine that outlives them: a folder with a file for each key, for
 * its owner alone.
 *
 * @implements {Store}
 * @typedef {import('./store.js').Store} Store
 */
export class FileStore {
  #folder;

  /** @param {string} folder is made if it is not there */
  constructor(folder) {
    this.#folder = folder;
  }

  /**
   * @param {string} key
   * @returns {Promise<string | null>}
   */
  async get(key) {
    return valueOf(await read(this.#file(key)));
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
      return (await linked(own, file)) || ((await this.#removeExpired(file)) && (await linked(own, file)));
    } finally {
      await rm(own);
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
   * Removes a file that has expired. Another process may do so, too, and put a new one there: what is removed is looked
   * at once more, and put back.
   *
   * @param {string} file
   */
  async #removeExpired(file) {
    if (valueOf(await read(file)) !== null) return false;
    const removed = this.#newFile();
    await rename(file, removed).catch(unless('ENOENT'));
    const fresh = valueOf(await read(removed)) !== null && (await linked(removed, file));
    await rm(removed, { force: true });
    return !fresh;
  }

  /**
   * Writes a file that nobody else knows.
   *
   * @param {string} value
   * @param {number} ttlSeconds
   */
  async #write(value, ttlSeconds) {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#newFile();
    await writeFile(file, JSON.stringify({ expires_at: Date.now() / 1000 + ttlSeconds, value }), { mode: 0o600 });
    return file;
  }

  #newFile() {
    return join(this.#folder, `${randomUUID()}.tmp`);
  }

  /**
   * A key may be longer than a file's name, and holds colons.
   *
   * @param {string} key
   */
  #file(key) {
    return join(this.#folder, createHash('sha256').update(key).digest('hex'));
  }
}

/** @param {string} file */
const read = (file) => readFile(file, 'utf8').catch(unless('ENOENT'));

/**
 * @param {string} [text]
 * @returns {string | null}
 */
function valueOf(text) {
  if (!text) return null;
  const { expires_at, value } = JSON.parse(text);
  return Date.now() / 1000 < expires_at ? value : null;
}

/**
 * Gives a file one more name, if that is not taken.
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
