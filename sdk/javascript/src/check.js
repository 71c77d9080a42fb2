// Mistakes in the use of the library: a TypeError or a RangeError that names the option as the caller wrote it.

/** @typedef {(value: any) => string | undefined} Rule returns what an option must be, unless the value is that */
/** @typedef {Record<string, Rule>} Rules */

/**
 * Refuses options that do not exist, and values that no call can use.
 *
 * @param {string} where as the caller wrote it
 * @param {any} options
 * @param {Rules} rules by the name of the option
 */
export function check(where, options, rules) {
  // A signal or a Map has no entries, and would be ignored. A config may be a module.
  if (!['Object', 'Module'].includes(tag(options)))
    throw new TypeError(`${where}: expected a plain object, not ${kind(options)}`);
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) throw new TypeError(`${where}: unknown option ${name}; use one of ${Object.keys(rules).join(', ')}`);
    if (value !== undefined) checkValue(`${where}: ${name}`, value, rule);
  }
}

/** @param {string} what as the caller wrote it @param {any} value @param {Rule} rule */
export function checkValue(what, value, rule) {
  const wrong = rule(value);
  if (wrong === undefined) return;
  const Mistake = typeof value === 'number' && ranges.has(rule) ? RangeError : TypeError;
  throw new Mistake(`${what} must be ${wrong}, not ${kind(value)}`);
}

/** @param {(value: any) => boolean} test @param {string} expected @returns {Rule} */
const must = (test, expected) => (value) => (test(value) ? undefined : expected);

export const text = must((value) => typeof value === 'string', 'a string');
export const textOrNull = must((value) => value === null || typeof value === 'string', 'a string or null');
export const flag = must((value) => typeof value === 'boolean', 'true or false');
export const number = must((value) => typeof value === 'number', 'a number');
export const notNegative = must((value) => typeof value === 'number' && value >= 0, 'a number, 0 or more');
export const positive = must((value) => typeof value === 'number' && value >= 1, 'a number, 1 or more');
const ranges = new Set([notNegative, positive]);
export const callable = must((value) => typeof value === 'function', 'a function');
export const signal = must((value) => value === null || typeof value.throwIfAborted === 'function', 'an AbortSignal');
export const any = must(() => true, '');

/** @param {...string} names */
export const methods = (...names) =>
  must(
    (value) => value !== null && names.every((name) => typeof value[name] === 'function'),
    `an object with the methods ${names.join(', ')}`,
  );

/** The class of a value, also if the value is from another realm. @param {unknown} value */
const tag = (value) => Object.prototype.toString.call(value).slice(8, -1);

export const isModule = (/** @type {unknown} */ value) => tag(value) === 'WebAssembly.Module';
export const plugin = must(
  (value) => isModule(value) || tag(value) === 'ArrayBuffer' || ArrayBuffer.isView(value),
  'a WebAssembly.Module, or the bytes of rostering-core.wasm',
);

const payloads = ['Null', 'String', 'ArrayBuffer', 'Blob', 'File', 'FormData', 'URLSearchParams'];
const sendable = 'what fetch takes (for JSON, use the option json)';

/** Accepts what `fetch` takes, without what it would send as a text such as `[object Object]`. */
export const payload = must(
  (value) => payloads.includes(tag(value)) || ArrayBuffer.isView(value) || isStream(value),
  sendable,
);
export const body = must((value) => typeof value === 'function' || payload(value) === undefined, sendable);

/** Whether a body can be sent only once. Node's fetch takes any async iterable. @param {any} body */
export const isStream = (body) =>
  tag(body) === 'ReadableStream' || (typeof body === 'object' && body !== null && Symbol.asyncIterator in body);

/** Describes a value without showing it: it may be a secret in the wrong place. @param {any} value */
export function kind(value) {
  if (value === null || value === undefined || typeof value === 'number') return String(value);
  if (typeof value !== 'object') return `a ${typeof value}`;
  return Array.isArray(value) ? 'an array' : `an object (${value.constructor?.name ?? 'without a prototype'})`;
}
