import * as is from './check.js';

const options = {
  plugin: is.plugin,
  store: is.methods('get', 'add', 'set'),
  fetch: is.callable,
  timeoutMs: is.notNegative,
  maxBody: is.positive,
  logger: is.methods('debug', 'warn'),
  waitUntil: is.callable,
  clock: is.callable,
  headers: is.any,
};
const call = { signal: is.signal, timeoutMs: is.notNegative, waitUntil: is.callable };
const list = { headers: is.any, customerId: is.textOrNull, userId: is.textOrNull, ...call };
const request = {
  ...{ path: is.text, method: is.text, searchParams: is.any, json: is.any, body: is.body },
  ...list,
};
const rules = {
  'Client.open': options,
  listJobs: list,
  sendRequest: request,
  getToken: { force: is.flag, refused: is.text, ...call },
  close: { timeoutMs: is.notNegative },
  retry: { deadlineMs: is.notNegative, retryIf: is.callable, signal: is.signal },
};

/**
 * Refuses options that a method does not have, and values that it cannot use.
 *
 * @param {keyof typeof rules} method
 * @param {object} given
 */
export const checkOptions = (method, given) => is.check(method, given, rules[method]);

/**
 * Reads a variable. An invalid number or flag stays a string, which the plugin names together with all else that is invalid.
 *
 * @param {string} field @param {string} value
 */
export function read(field, value) {
  if (field === 'refreshMargin') return /^\d+$/.test(value) ? Number(value) : value;
  if (field === 'allowHttp') return { true: true, false: false }[value] ?? value;
  return value;
}

/** @param {string} field @param {import('./check.js').Rule} rule */
const orInvalid = (field, rule) => (/** @type {unknown} */ value) =>
  typeof value === 'string' && read(field, value) === value ? undefined : rule(value);

/** @type {(keyof import('./config.js').Config)[]} */
const texts = ['environment', 'authUrl', 'baseUrl', 'clientId', 'clientSecret', 'customerId', 'userId', 'scope'];

/** @type {import('./check.js').Rules} */
export const configRules = {
  ...Object.fromEntries(texts.map((field) => [field, is.text])),
  ...{ refreshMargin: orInvalid('refreshMargin', is.number), allowHttp: orInvalid('allowHttp', is.flag) },
};

/** @param {string} field */
export const snakeCase = (field) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The names of the fields, by those of the contract. */
export const fieldsByKey = new Map(Object.keys(configRules).map((field) => [snakeCase(field), field]));
