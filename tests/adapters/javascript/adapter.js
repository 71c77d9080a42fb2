// What the adapters of all runtimes have in common: the requests of ../README.md, with the library's public API.

import { Client, configFromEnv, MemoryStore, retry, RosteringError, Token, withToken } from 'automatic-rostering';

/** @typedef {Record<string, any>} Request see ../README.md */
/** @typedef {import('automatic-rostering').Store} Store */
/** @typedef {{client: Client, now: number, send: typeof fetch | undefined}} Opened */

/** @typedef {{signal: AbortSignal, waitUntil?: (section: Promise<unknown>) => void}} Context what is added to a call */

/**
 * @typedef {object} Runtime
 * @property {(event: object) => void} emit
 * @property {Record<string, (url: string) => Store | Promise<Store>>} [stores] by the scheme
 * @property {(error: any) => string} show returns all that a debugger could show
 */

const closedToKeep = 16; // for calls that come after close

/** Carries out requests. */
export class Adapter {
  /** @type {Map<string, Opened>} */
  #clients = new Map();
  /** @type {string[]} */
  #closed = [];
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
      for (let left = request.times ?? 1; left > 1; left -= 1) await this.#run(request, context);
      return await this.#run(request, context);
    } catch (error) {
      return this.#failure(error);
    }
  }

  /** @param {Request} request @param {Context} context */
  async #run(request, context) {
    const { op, client: name } = request;
    if (op === 'store') return this.#useStore(request);
    if (op === 'own' && name === undefined) return received(await fetch(request.url, init(request, context.signal)));
    if (op === 'open') {
      this.#clients.set(name, await this.#open(request));
      return {};
    }
    const opened = this.#clients.get(name);
    if (!opened) throw new Error(`no client ${name}`);
    if (request.now !== undefined) opened.now = request.now;
    const call = () => this.#call(opened, request, context);
    if (!request.retry) return call();
    const { deadline, codes } = request.retry;
    const retryIf = codes && ((/** @type {RosteringError} */ { code }) => codes.includes(code));
    return retry(call, { deadlineMs: 1000 * deadline, retryIf, signal: context.signal });
  }

  /** @param {Request} request @returns {Promise<Opened>} */
  async #open(request) {
    const { variables, config, user_agent: agent, max_body: maxBody, wasm: plugin, now, headers } = request;
    const opened = /** @type {Opened} */ ({ now, send: agent && withUserAgent(agent) });
    opened.client = await Client.open(variables ? configFromEnv(variables) : typedConfig(config), {
      ...timeout(request),
      maxBody,
      plugin,
      headers,
      fetch: opened.send,
      store: request.store && (await this.#store(request.store)),
      clock: () => 1000 * opened.now,
      logger: this.#logger(request),
    });
    return opened;
  }

  /** @param {Request} request */
  #logger({ client, log }) {
    const at = (/** @type {string} */ level) => (/** @type {string} */ line) => {
      if (log === 'throws') throw new Error('the log is full');
      this.#runtime.emit({ event: 'log', client, level, line });
    };
    return { debug: at('debug'), info: at('debug'), warn: at('warn'), error: at('warn') };
  }

  /** @param {Opened} opened @param {Request} request @param {Context} context */
  async #call({ client, send }, request, context) {
    const { op, customer_id: customerId, user_id: userId, force, refused } = request;
    const { path, method, headers, query: searchParams, json } = request;
    const sent = { path, method, headers, searchParams, json, body: body(request) };
    const { signal, waitUntil } = context;
    const options = { signal, waitUntil, ...timeout(request) };
    let view = client;
    if (customerId !== undefined) view = view.forCustomer(customerId);
    if (userId !== undefined) view = view.forUser(userId);
    /** @type {Record<string, () => any>} */
    const calls = {
      list_jobs: () => view.listJobs({ headers, ...options }),
      send_request: () => client.sendRequest({ ...sent, customerId, userId, ...options }),
      own: () => withToken(client, send)(request.url, init(request, signal)),
      get_token: () => view.getToken({ force, refused, ...options }),
      set_token: () => client.setToken(new Token(JSON.parse(request.token))),
      clear_token: () => client.clearToken(),
      set_secret: () => client.setSecret(request.secret),
      status: () => ({ body: JSON.stringify(view.status()) }),
      close: () => view.close(timeout(request)).then(() => view === client && this.#forget(request.client)),
    };
    const result = await /** @type {() => any} */ (calls[op])();
    if (result instanceof Response) return received(result);
    return result instanceof Token ? { body: JSON.stringify(result.toObject()) } : { ...result };
  }

  /** Forgets a client after some others have closed. @param {string} client */
  #forget(client) {
    this.#closed.push(client);
    if (this.#closed.length > closedToKeep) this.#clients.delete(this.#closed.shift() ?? '');
  }

  /** @param {Request} request */
  async #useStore({ store: spec, do: operation, key, value, ttl }) {
    const store = /** @type {any} */ (await this.#store(spec));
    const result = await store[operation](key, value, ttl);
    return operation === 'get' ? { value: result } : { added: result };
  }

  /** Opens a store, or finds it. @param {Request} spec */
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
    return { ...all, error: JSON.stringify(error), status, headers: headers && plain(headers), body: bytes };
  }
}

/** Returns the config by the names of JavaScript, with numbers and booleans. @param {Record<string, string>} config */
function typedConfig(config = {}) {
  const entries = Object.entries(config).map(([key, value]) => {
    const name = key.replace(/_[a-z]/g, (letter) => letter.slice(1).toUpperCase());
    return [name, ['refresh_margin', 'allow_http'].includes(key) ? JSON.parse(value) : value];
  });
  return /** @type {import('automatic-rostering').Config} */ (Object.fromEntries(entries));
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
  const bytes = new Uint8Array(body.length); // Uint8Array.from would list its characters first, for seconds
  for (let i = 0; i < bytes.length; i++) bytes[i] = body.charCodeAt(i);
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
