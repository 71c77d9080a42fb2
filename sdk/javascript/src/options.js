// What a client takes. The types hold with those of Node, Deno, Bun, Workers and browsers.

/**
 * Refuses names that a type does not have, also of an object in a variable.
 *
 * @template Shape, Given
 * @typedef {Shape & Given & {[Name in Exclude<keyof Given, keyof Shape>]: never}} Exact
 */

/**
 * What `fetch` takes as a body.
 *
 * @typedef {NonNullable<RequestInit['body']>} Payload
 */

/**
 * The body of a request. A stream can be sent only once; a function is called for each attempt, and returns a new one.
 *
 * @typedef {Payload | (() => Payload | Promise<Payload>)} Body
 */

/**
 * The part of `fetch` that a client needs.
 *
 * @typedef {(url: string, init: RequestInit) => Promise<Response>} Fetch
 */

/**
 * Receives log lines: `console`, or the logger of a framework.
 *
 * @typedef {object} Logger
 * @property {(line: string) => void} debug
 * @property {(line: string) => void} info
 * @property {(line: string) => void} warn
 * @property {(line: string) => void} error
 */

/**
 * `WebAssembly.Module`; Node's types alone do not have it.
 *
 * @typedef {typeof globalThis extends {WebAssembly: {Module: abstract new (...args: any) => infer Module}} ? Module
 *   : object} WasmModule
 */

/**
 * What `createPlugin` of the SDK is called with.
 *
 * @typedef {object} SdkOptions
 * @property {boolean} runInWorker
 * @property {Record<string, string>} config
 * @property {string[]} allowedHosts
 * @property {Console} logger
 * @property {'debug' | 'silent'} logLevel
 * @property {{execArgv: string[]}} [nodeWorkerArgs]
 */

/**
 * The part of the SDK's instance of a plugin that a client needs.
 *
 * @typedef {object} SdkPlugin
 * @property {(name: string, input: string | Uint8Array) => Promise<{bytes(): Uint8Array} | null>} call
 * @property {() => Promise<unknown>} reset
 * @property {() => Promise<void>} close
 */

/**
 * The plugin, in its build without WASI: the path or the `file:` URL of its file, its bytes, or a compiled module (a
 * Worker takes nothing else); or a function that makes an instance by an SDK of your own.
 *
 * @typedef {string | URL | ArrayBuffer | ArrayBufferView | WasmModule | ((options: SdkOptions) => Promise<SdkPlugin>)
 * } Source
 */

/**
 * How a client works.
 *
 * @typedef {object} Options
 * @property {Source} [plugin] In place of the one in the package.
 * @property {import('./store.js').Store} [store] Shares the token with other clients.
 * @property {Fetch} [fetch] Sends the requests, for a custom proxy or certificate authority.
 * @property {number} [timeoutMs] Bounds one call with all its requests and waits; the default is 30,000. 0 or Infinity
 *   disables it.
 * @property {number} [maxBody] The maximum size of a response in bytes; the default is 64 MiB.
 * @property {Logger} [logger] Receives log lines, which hold neither secrets nor tokens. Without it, the console receives
 *   the warnings of a store that fails, and nothing else.
 * @property {boolean} [worker] Runs the plugin in a worker. Rarely useful, because the plugin does no I/O.
 * @property {(section: Promise<unknown>) => void} [waitUntil] Receives what continues after a call, such as a renewal of
 *   the token, or the token request of a call that ended early, in runtimes that would cancel it.
 */

/**
 * How one call works.
 *
 * @typedef {object} CallOptions
 * @property {AbortSignal | null} [signal] Ends the call, but not a token request that others may wait for.
 * @property {number} [timeoutMs] In place of the client's.
 * @property {number} [now] The time in Unix seconds, in place of the clock's.
 * @property {Options['waitUntil']} [waitUntil] In place of the client's.
 */

/**
 * In place of the config's. `null` leaves the header out.
 *
 * @typedef {object} Ids
 * @property {string | null} [customerId]
 * @property {string | null} [userId]
 */

/**
 * Which token is wanted: the cached one, or a new one.
 *
 * @typedef {object} TokenRequest
 * @property {boolean} [force] Requests a new token in any case. If that fails, the plugin keeps the one it has.
 * @property {string} [refused] An access token that the service answered 401 to: it is replaced.
 */

/**
 * A custom request.
 *
 * @typedef {object} ServiceRequest
 * @property {string} path Appended to baseUrl, with its query; begins with a slash.
 * @property {string} [method] Default: GET.
 * @property {HeadersInit} [headers] In addition to those that the plugin sets.
 * @property {ConstructorParameters<typeof URLSearchParams>[0]} [searchParams] Appended to the path's query.
 * @property {unknown} [json] Sent as JSON, as `application/json` unless the headers say otherwise.
 * @property {Body | null} [body] What fetch takes; text is sent without a Content-Type. After a 401, a request whose body
 *   is a stream is not retried: the call ends with `service_unauthorized`, and the next one gets a new token.
 */

/**
 * How to close a client.
 *
 * @typedef {object} CloseOptions
 * @property {number} [timeoutMs] How long to wait for calls before they are canceled. Default: until they end.
 */

export {};
