// The types of what a client takes. They compile with those of Node, Deno, Bun, Workers and browsers.

/** A body as `fetch` takes it. @typedef {NonNullable<RequestInit['body']>} Payload */

/**
 * The body of a request. A stream can be sent only once; a function is called for each attempt, and returns a new one.
 *
 * @typedef {Payload | (() => Payload | Promise<Payload>)} Body
 */

/** Headers as `fetch` takes them. @typedef {ConstructorParameters<typeof Headers>[0]} RequestHeaders */

/** The part of `fetch` that a client needs. @typedef {(url: string, init: RequestInit) => Promise<Response>} Fetch */

/**
 * Receives log lines: `console`, or the logger of a framework.
 *
 * @typedef {object} Logger
 * @property {(line: string) => void} debug
 * @property {(line: string) => void} warn
 */

/**
 * `WebAssembly.Module`, which Node's types do not have.
 *
 * @typedef {typeof globalThis extends {WebAssembly: {Module: abstract new (...args: any) => infer Module}} ? Module
 *   : object} WasmModule
 */

/**
 * The file `rostering-core.wasm`: its bytes, or a compiled module, where a runtime compiles nothing.
 *
 * @typedef {ArrayBuffer | ArrayBufferView | WasmModule} Source
 */

/**
 * How a client works.
 *
 * @typedef {object} Options
 * @property {Source} [plugin] Replaces the plugin in the package, for a runtime that can use neither its module nor its file.
 * @property {import('./store.js').Store} [store] Shares the token with other clients.
 * @property {RequestHeaders} [headers] Of all calls, unless a call has one of the same name.
 * @property {Fetch} [fetch] Sends the requests, for a custom proxy or certificate authority.
 * @property {number} [timeoutMs] Limits each call with all its requests and waits (default: 30,000). 0 or Infinity disables
 *   it.
 * @property {number} [maxBody] Limits a response, in bytes (default: 64 MiB).
 * @property {() => number} [clock] Returns the time in milliseconds, by which tokens expire, for tests (default: `Date.now`).
 *   Timeouts keep the system's.
 * @property {Logger} [logger] Receives log lines, which have neither secrets nor tokens. Without it, only the warnings of a
 *   failing store are logged, to the console.
 * @property {(section: Promise<unknown>) => void} [waitUntil] Receives what continues after a call, such as a renewal of
 *   the token, or the token request of a call that ended early, in runtimes that would cancel it (default: a Worker's own).
 */

/**
 * How one call works.
 *
 * @typedef {object} CallOptions
 * @property {AbortSignal | null} [signal] Ends the call, but not a token request that other calls may wait for.
 * @property {number} [timeoutMs] Overrides the client's.
 * @property {Options['waitUntil']} [waitUntil] Overrides the client's.
 */

/**
 * The customer and the user of one call: they override the view's and the config's. `null` omits the header.
 *
 * @typedef {object} Ids
 * @property {string | null} [customerId]
 * @property {string | null} [userId]
 */

/**
 * Which token to return. By default, the cached one.
 *
 * @typedef {object} TokenRequest
 * @property {boolean} [force] Requests a new token. If that fails, the cached one is kept.
 * @property {string} [refused] An access token that got a 401 from the service: another one is returned.
 */

/**
 * A request to the service.
 *
 * @typedef {object} ServiceRequest
 * @property {string} path Begins with a slash, may have a query, and is appended to baseUrl.
 * @property {string} [method] GET by default.
 * @property {RequestHeaders} [headers] In addition to those that the plugin sets.
 * @property {ConstructorParameters<typeof URLSearchParams>[0]} [searchParams] Appended to the path's query.
 * @property {unknown} [json] Sent as JSON, with `application/json` as its Content-Type unless the headers have one.
 * @property {Body | null} [body] What fetch takes; a string gets no Content-Type. After a 401, a request whose body is a
 *   stream is not retried: the call fails with `service_unauthorized`, and the next call gets a new token.
 */

/** How to close a client: `timeoutMs` cancels calls after this time (default: never). @typedef {{timeoutMs?: number}} CloseOptions */

export {};
