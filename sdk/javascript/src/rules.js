import {
  any,
  callable,
  check,
  flag,
  methods,
  notNegative,
  payload,
  positive,
  signal,
  text,
  textOrNull,
} from './check.js';

const options = {
  plugin: any,
  store: methods('get', 'add', 'set'),
  fetch: callable,
  timeoutMs: notNegative,
  maxBody: positive,
  logger: methods('debug', 'info', 'warn', 'error'),
  waitUntil: callable,
};
const call = { signal, timeoutMs: notNegative, waitUntil: callable };
const list = { customerId: textOrNull, userId: textOrNull, ...call };
const request = {
  ...{ path: text, method: text, headers: any, searchParams: any, json: any, body: payload },
  ...list,
};
const rules = {
  'Client.open': options,
  listJobs: list,
  sendRequest: request,
  getToken: { force: flag, refused: text, ...call },
  close: { timeoutMs: notNegative },
  retry: { deadlineMs: notNegative, signal },
};

/**
 * Refuses options that a method does not have, and values that it cannot use.
 *
 * @param {keyof typeof rules} method
 * @param {object} given
 */
export const checkOptions = (method, given) => check(method, given, rules[method]);
