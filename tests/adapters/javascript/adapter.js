// What the adapters of all runtimes have in common: the requests of ../README.md, with the library's public API.

import { Client, configFromEnv, MemoryStore, retry, RosteringError, Token, withToken } from 'automatic-rostering';
// @ts-ignore: how often the plugin ran is not public, and tasks.sh adapter makes this file
import { sharedOf } from './node_modules/automatic-rostering/src/client.js';

/** @typedef {Record<string, any>} Request see ../README.md */
/** @typedef {import('automatic-rostering').Store} Store */
/** @typedef {{client: Client, now: number, send: typeof fetch | undefined}} Opened */

/** @typedef {{signal: AbortSignal, waitUntil?: (section: Promise<unknown>) => void}} Context what is added to a call */

/**
 * @typedef {object} Runtime
 * @property {(event: object) => void} emit
 * @property {Record<string, (url: string) => Store | Promise<Store>>} [stores] by the scheme
 * @property {(error: any) => string} show returns all that a debugger could show
 * @property {(path: string) => Promise<Uint8Array>} [read] reads a file of the plugin
 */

/** Carries out requests. */
export class Adapter {
  /** @type {Map<string, Opened>} */
  #clients = new Map();
  /** @type {Map<string, Promise<Store>>} */
  #stores = new Map();
  #runtime;

  /** @param {Runtime} runtime */
  constructor(runtime) {
    this.#runtime = runtime;
  }

  /** Returns the response to a request. @param {Request} request @param {Context} context @returns {Promise<object>} */
  async respond(request, context) {
    try {
      for (let left = request.times ?? 1; left > 1; left -= 1) await this.#run(request, context).catch(() => {});
      return { ...(await this.#run(request, context)), ...this.#pluginCalls(request) };
    } catch (error) {
      return { ...this.#failure(error), ...this.#pluginCalls(request) };
    }
  }

  /** Returns how often the plugin ran for a client. @param {Request} request */
  #pluginCalls(request) {
    const { client } = this.#clients.get(request.client) ?? {};
    return client && { plugin_calls: sharedOf(/** @type {any} */ (client)).plugin.calls };
  }

  /** @param {Request} request @param {Context} context */
  #run(request, context) {
    const call = () => this.#call(request, context);
    if (!request.retry) return call();
    const { deadline, code } = request.retry;
    const retryIf = code && ((/** @type {RosteringError} */ error) => error.code === code);
    return retry(call, { deadlineMs: 1000 * deadline, retryIf, signal: context.signal });
  }

  /** @param {Request} request */
  async #open(request) {
    const { variables, user_agent: agent, max_body: maxBody, wasm, now, headers } = request;
    const opened = /** @type {Opened} */ ({ now, send: agent && withUserAgent(agent) });
    opened.client = await Client.open(configFromEnv(variables), {
      ...timeout(request),
      maxBody,
      plugin: wasm && (await this.#runtime.read?.(wasm)),
      headers,
      fetch: opened.send,
      store: request.store && (await this.#store(request.store)),
      clock: () => 1000 * opened.now,
      logger: this.#logger(request),
    });
    this.#clients.set(request.client, opened);
  }

  /** @param {Request} request */
  #logger({ client }) {
    const at = (/** @type {string} */ level) => (/** @type {string} */ line) =>
      this.#runtime.emit({ event: 'log', client, level, line });
    return { debug: at('debug'), warn: at('warn') };
  }

  /** @param {Request} request @param {Context} context */
  async #call(request, { signal, waitUntil }) {
    const { op, customer_id: customerId, user_id: userId, force, refused } = request;
    const { path, method, headers, query: searchParams, json } = request;
    const sent = { path, method, headers, searchParams, json, body: body(request) };
    const options = { signal, waitUntil, ...timeout(request) };
    const opened = this.#clients.get(request.client);
    if (opened && request.now !== undefined) opened.now = request.now;
    const { client, send } = /** @type {Opened} */ (opened ?? {});
    let view = client;
    if (customerId !== undefined) view = view.forCustomer(customerId);
    if (userId !== undefined) view = view.forUser(userId);
    /** @type {Record<string, () => any>} */
    const calls = {
      open: () => this.#open(request),
      list_jobs: () => view.listJobs({ headers, ...options }),
      send_request: () => client.sendRequest({ ...sent, customerId, userId, ...options }),
      own: () => (client ? withToken(client, send) : fetch)(request.url, init(request, signal)),
      get_token: () => view.getToken({ force, refused, ...options }),
      set_token: () => client.setToken(new Token(request.token)),
      clear_token: () => client.clearToken(),
      set_secret: () => client.setSecret(request.secret),
      status: () => view.status(),
      store: async () => (await this.#store(request.store))[request.do](request.key, request.value, request.ttl),
      close: () => view.close(timeout(request)).then(() => request.forget && this.#clients.delete(request.client)),
    };
    const result = await /** @type {() => any} */ (calls[op])();
    if (result instanceof Response) return received(result);
    return { json: result instanceof Token ? result.toObject() : result };
  }

  /** Opens a store, or finds it. @param {Request} spec @returns {Promise<any>} */
  #store({ name, url }) {
    const open = async () => {
      const kind = url.split(':')[0];
      if (kind === 'memory') return new MemoryStore();
      return this.#runtime.stores?.[kind]?.(url) ?? httpStore(url);
    };
    const store = this.#stores.get(name) ?? open();
    this.#stores.set(name, store);
    return store;
  }

  /** @param {any} error */
  #failure(error) {
    const cause = error?.cause === undefined ? undefined : String(error.cause);
    const all = { text: String(error), cause, shown: this.#runtime.show(error) };
    if (!(error instanceof RosteringError)) return all;
    const { status, headers } = error;
    const bytes = error.body === undefined ? undefined : encode(new TextEncoder().encode(error.body));
    const full = { ...error.full(), headers: undefined };
    return { ...all, error: JSON.stringify(full), status, headers: headers && plain(headers), body: bytes };
  }
}

/** @param {{timeout?: number | null}} request @returns {{timeoutMs?: number}} */
const timeout = ({ timeout: s }) => (s === undefined ? {} : { timeoutMs: s === null ? Infinity : 1000 * s });

/** Makes a fetch with a default header, as an HTTP client has one. @param {string} agent @returns {typeof fetch} */
const withUserAgent = (agent) => (input, init) => {
  const headers = new Headers(init?.headers);
  headers.set('User-Agent', agent);
  return fetch(input, { ...init, headers });
};

/** @param {Request} request */
function body({ body, once }) {
  if (body === undefined) return undefined;
  const bytes = new TextEncoder().encode(body);
  return once ? new Blob([bytes]).stream() : bytes;
}

/** Returns what fetch takes. @param {Request} request @param {AbortSignal} signal @returns {RequestInit} */
function init(request, signal) {
  const { method, headers } = request;
  return /** @type {any} */ ({ signal, duplex: 'half', method, headers, body: body(request) });
}

/** @param {Response} response */
async function received(response) {
  const { status, headers } = response;
  return { status, headers: plain(headers), body: encode(new Uint8Array(await response.arrayBuffer())) };
}

/** @param {Headers} headers */
const plain = (headers) => Object.fromEntries(headers);

/** @param {Uint8Array} bytes */
function encode(bytes) {
  let text = '';
  for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return text;
}

/** A store that a program has written itself. @param {string} url @returns {Store} */
function httpStore(url) {
  const post = async (/** @type {object} */ operation) => {
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(operation) });
    if (response.status !== 200) throw new Error(`the store responded with ${response.status}`); // Bun reads no body as null
    return response.json();
  };
  return {
    get: (key) => post({ op: 'get', key }),
    add: (key, value, ttl) => post({ op: 'add', key, value, ttl }),
    set: (key, value, ttl) => post({ op: 'set', key, value, ttl }),
  };
}
