import * as is from './check.js';

const options = {
  plugin: is.plugin,
  store: is.methods('get', 'add', 'set'),
  fetch: is.callable,
  timeoutMs: is.notNegative,
  maxBody: is.positive,
  logger: is.methods('debug', 'info', 'warn', 'error'),
  waitUntil: is.callable,
  clock: is.callable,
  headers: is.any,
};
const call = { signal: is.signal, timeoutMs: is.notNegative, waitUntil: is.callable };
const list = { headers: is.any, customerId: is.textOrNull, userId: is.textOrNull, ...call };
const request = {
  ...{ path: is.text, method: is.text, searchParams: is.any, json: is.any, body: is.payload },
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
