import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs';
import { link, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @typedef {import('./store.js').Store} Store */

const attempts = 100;
const abandoned = 60_000; // ms; an older temporary file is left from a process that died

/**
 * A store for the processes of one machine, concurrent or successive: a folder that only its owner can read. The value of a
 * key is in the file with its hash and the highest number. The libraries of all languages share the format.
 *
 * @implements {Store}
 */
export class FileStore {
  #folder;

  /**
   * @param {string} folder created if missing
   * @throws {Error} if it cannot be created or written
   */
  constructor(folder) {
    if (typeof folder !== 'string' || folder === '') throw new TypeError('FileStore: expected the path of a folder');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    rmdirSync(mkdtempSync(join(folder, 'probe-'))); // Deno's accessSync needs a permission
    this.#folder = folder;
  }

  /**
   * @param {string} key
   * @returns {Promise<string | null>}
   */
  async get(key) {
    const hash = hashed(key);
    return this.#again(async () => {
      const [latest] = await this.#numbers(hash);
      return latest ? this.#read(`${hash}.${latest}`) : null;
    });
  }

  /**
   * @param {string} key
   * @param {string} value
   * @param {number} ttlSeconds
   */
  async add(key, value, ttlSeconds) {
    return this.#put(hashed(key), value, ttlSeconds, true);
  }

  /**
   * @param {string} key
   * @param {string} value
   * @param {number} ttlSeconds
   */
  async set(key, value, ttlSeconds) {
    await this.#put(hashed(key), value, ttlSeconds, false);
  }

  /**
   * Writes a temporary file, and links it to the next number, which only one process can.
   *
   * @param {string} hash
   * @param {string} value
   * @param {number} ttlSeconds
   * @param {boolean} onlyIfMissing
   * @returns {Promise<boolean>} whether the value was set
   */
  async #put(hash, value, ttlSeconds, onlyIfMissing) {
    await this.#removeAbandoned();
    const temporary = join(this.#folder, `${hash}.tmp.${randomBytes(16).toString('hex')}`);
    const text = `${Date.now() + Math.round(ttlSeconds * 1000)}\n${value}`;
    await writeFile(temporary, text, { flag: 'wx', mode: 0o600 });
    try {
      return await this.#again(async () => {
        const [latest = 0] = await this.#numbers(hash);
        if (onlyIfMissing && latest) {
          const held = await this.#read(`${hash}.${latest}`);
          if (held !== null) return held === undefined ? undefined : false;
        }
        const own = latest + 1;
        const file = join(this.#folder, `${hash}.${own}`);
        if (!(await link(temporary, file).then(() => true, unless('EEXIST')))) return undefined;
        const numbers = await this.#numbers(hash);
        if (onlyIfMissing && numbers.some((number) => number > own)) {
          await rm(file, { force: true });
          return undefined;
        }
        const older = numbers.filter((number) => number < own);
        await Promise.all(older.map((number) => rm(join(this.#folder, `${hash}.${number}`), { force: true })));
        return true;
      });
    } finally {
      await rm(temporary, { force: true });
    }
  }

  /**
   * Tries until no other process interferes.
   *
   * @template T
   * @param {() => Promise<T | undefined>} attempt
   * @returns {Promise<T>}
   */
  async #again(attempt) {
    for (let i = 0; i < attempts; i++) {
      const result = await attempt();
      if (result !== undefined) return result;
    }
    throw new Error(`the files in ${this.#folder} kept changing: retry`);
  }

  /**
   * Returns the numbers of a key's files, the highest first.
   *
   * @param {string} hash
   */
  async #numbers(hash) {
    const numbers = [];
    for (const name of await readdir(this.#folder)) {
      const [, digits] = (name.startsWith(`${hash}.`) && /^.{65}([1-9]\d*)$/.exec(name)) || [];
      if (Number.isSafeInteger(Number(digits))) numbers.push(Number(digits));
    }
    return numbers.sort((a, b) => b - a);
  }

  /**
   * Reads the value in a file.
   *
   * @param {string} name
   * @returns {Promise<string | null | undefined>} null if it has none or has expired, undefined if the file is gone
   */
  async #read(name) {
    const bytes = await readFile(join(this.#folder, name)).catch(unless('ENOENT'));
    if (!bytes) return undefined;
    const [, expiry, value = ''] = /^(\d+)\n(.*)$/s.exec(decoded(bytes)) ?? [];
    return expiry && Date.now() < Number(expiry) ? value : null;
  }

  /** Removes the temporary files of processes that died. */
  async #removeAbandoned() {
    for (const name of await readdir(this.#folder)) {
      if (!/^[0-9a-f]{64}\.tmp\./.test(name)) continue;
      const file = join(this.#folder, name);
      const { mtimeMs = Infinity } = (await stat(file).catch(unless('ENOENT'))) ?? {};
      if (Date.now() - mtimeMs > abandoned) await rm(file, { force: true });
    }
  }
}

/**
 * Makes a file's name of a key, which has colons and may be too long.
 *
 * @param {string} key
 */
const hashed = (key) => createHash('sha256').update(key).digest('hex');

/** @param {Uint8Array} bytes */
function decoded(bytes) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return '';
  }
}

/**
 * Returns a handler that ignores errors with a code.
 *
 * @param {string} code
 */
const unless = (code) => (/** @type {NodeJS.ErrnoException} */ error) => {
  if (error.code !== code) throw error;
  return undefined;
};
