import { readStart } from '#inside';
import { RosteringError } from './error.js';

const longest = 64 << 10; // bytes

/**
 * Reads the client secret from the file that a variable names, without one newline at its end.
 *
 * @param {Record<string, unknown>} env
 * @returns {string | undefined}
 */
export function secretFrom({ ROSTERING_CLIENT_SECRET_FILE: file, ROSTERING_CLIENT_SECRET: secret }) {
  if (typeof file !== 'string' || file === '') return undefined;
  if (secret) throw wrong('and ROSTERING_CLIENT_SECRET are both set: unset one of them');
  const bytes = attempt('is missing or cannot be read', () => readStart(file, longest + 1));
  if (bytes.length > longest) throw wrongFile('has more than 64 KiB');
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const read = attempt('is not UTF-8', () => utf8.decode(bytes)).replace(/\r?\n$/, '');
  if (read === '') throw wrongFile('is empty');
  return read;
}

/** @template T @param {string} failure @param {() => T} read @returns {T} */
function attempt(failure, read) {
  try {
    return read();
  } catch {
    throw wrongFile(failure);
  }
}

/** @param {string} what */
const wrongFile = (what) => wrong(`names a file that ${what}: it must have the client secret alone`);

/** @param {string} what */
function wrong(what) {
  const problem = { key: 'client_secret', message: `ROSTERING_CLIENT_SECRET_FILE ${what}` };
  return new RosteringError({ code: 'config_invalid', retryable: false, ...problem, problems: [problem] });
}
