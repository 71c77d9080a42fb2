/**
 * A code of the contract, or `plugin_failed`, which only a bug or too little memory causes.
 *
 * @typedef {'invalid_input' | 'config_missing' | 'config_invalid' | 'clock_unusable' | 'token_endpoint_rejected'
 *   | 'token_endpoint_unavailable' | 'token_response_invalid' | 'token_mismatch' | 'service_unauthorized'
 *   | 'service_error' | 'network_error' | 'plugin_failed'} Code
 */
/**
 * Why a request got no response. Deno and Workers do not tell most of them, which are `other` there.
 *
 * @typedef {'timeout' | 'name_resolution' | 'connection' | 'tls_certificate' | 'tls' | 'proxy' | 'protocol' | 'canceled'
 *   | 'other'} Reason
 */
/**
 * An error as the plugin writes it.
 *
 * @typedef {{code: Code, message: string, retryable: boolean, key?: string, problems?: Problem[], request?: FailedRequest,
 *   reason?: Reason, status?: number, oauth_error?: string, oauth_error_description?: string, retry_after?: number,
 *   body?: string, body_truncated?: boolean}} ErrorFields
 */
/** What is wrong with a key of the config, as the contract spells it. @typedef {{key: string, message: string}} Problem */
/** The request to the service; the path has no query. @typedef {{method: string, path: string}} FailedRequest */
/**
 * The error of a failed call. Fields that do not apply are undefined. It has neither secrets nor tokens. What loggers show of it
 * has neither the body nor the headers of a response. If fetch threw, its cause has the type and the code of what was thrown.
 */
declare class RosteringError extends Error {
    /**
     * @param {ErrorFields} fields
     * @param {{cause?: unknown, headers?: Headers | undefined}} [known]
     */
    constructor(fields: ErrorFields$1, { cause, headers }?: {
        cause?: unknown;
        headers?: Headers | undefined;
    });
    /** Why the call failed. */
    code: Code$2;
    /** Whether the same call may succeed later. */
    retryable: boolean;
    /** The config key or input field that caused it, as the contract spells it. */
    key: string | undefined;
    /** All that is missing or invalid in the config. */
    problems: Problem$1[] | undefined;
    /** The request to the service that failed. */
    request: FailedRequest$1 | undefined;
    /** Why there was no response. */
    reason: Reason$1 | undefined;
    /** The status of the response that caused it. */
    status: number | undefined;
    /** The identity provider's error (RFC 6749, section 5.2). */
    oauthError: string | undefined;
    oauthErrorDescription: string | undefined;
    /** The seconds until a retry may succeed: the rest of the backoff, or what the service asked for. */
    retryAfter: number | undefined;
    /** The first 4 KiB of the body of the service's response, as a string. */
    get body(): string | undefined;
    /** Whether the body was longer. */
    get bodyTruncated(): boolean | undefined;
    /** The headers of the service's response, at most 100 and 8 KiB. */
    get headers(): Headers | undefined;
    /** Returns the fields by the names of the contract, for logs: without the body and the headers of the response. */
    toJSON(): {
        code: Code$2;
        message: string;
        retryable: boolean;
        key?: string;
        problems?: Problem$1[];
        request?: FailedRequest$1;
        reason?: Reason$1;
        status?: number;
        oauth_error?: string;
        oauth_error_description?: string;
        retry_after?: number;
        body?: string;
        body_truncated?: boolean;
    };
    /** Returns all fields by the names of the contract, which may have personal data. */
    full(): {
        headers: {
            [k: string]: string;
        } | undefined;
        code: Code$2;
        message: string;
        retryable: boolean;
        key?: string;
        problems?: Problem$1[];
        request?: FailedRequest$1;
        reason?: Reason$1;
        status?: number;
        oauth_error?: string;
        oauth_error_description?: string;
        retry_after?: number;
        body?: string;
        body_truncated?: boolean;
    };
    #private;
}
/**
 * A code of the contract, or `plugin_failed`, which only a bug or too little memory causes.
 */
type Code$2 = "invalid_input" | "config_missing" | "config_invalid" | "clock_unusable" | "token_endpoint_rejected" | "token_endpoint_unavailable" | "token_response_invalid" | "token_mismatch" | "service_unauthorized" | "service_error" | "network_error" | "plugin_failed";
/**
 * Why a request got no response. Deno and Workers do not tell most of them, which are `other` there.
 */
type Reason$1 = "timeout" | "name_resolution" | "connection" | "tls_certificate" | "tls" | "proxy" | "protocol" | "canceled" | "other";
/**
 * An error as the plugin writes it.
 */
type ErrorFields$1 = {
    code: Code$2;
    message: string;
    retryable: boolean;
    key?: string;
    problems?: Problem$1[];
    request?: FailedRequest$1;
    reason?: Reason$1;
    status?: number;
    oauth_error?: string;
    oauth_error_description?: string;
    retry_after?: number;
    body?: string;
    body_truncated?: boolean;
};
/**
 * What is wrong with a key of the config, as the contract spells it.
 */
type Problem$1 = {
    key: string;
    message: string;
};
/**
 * The request to the service; the path has no query.
 */
type FailedRequest$1 = {
    method: string;
    path: string;
};

/**
 * The state of a client's token, and what the client and its views have done since it opened. What is unknown is missing.
 */
type Status$1 = {
    tokenExpiresAt?: Date;
    renewAt?: Date;
    /**
     * Whether a token is being requested.
     */
    renewing: boolean;
    /**
     * When the backoff after a failed token request ends.
     */
    retryAt?: Date;
    /**
     * Why that token request failed.
     */
    error?: {
        code: Code$1;
        message: string;
    };
    /**
     * How many calls of listJobs, sendRequest and getToken began.
     */
    calls: number;
    /**
     * How many of them failed, by the code. Canceled calls are not among them.
     */
    failedCalls: Partial<Record<Code$1, number>>;
    /**
     * How many requests with a token were sent, including those of withToken.
     */
    serviceRequests: number;
    tokenRequests: number;
    /**
     * Those that brought no usable token.
     */
    failedTokenRequests: number;
    /**
     * How many tokens the service refused.
     */
    refusedTokens: number;
    /**
     * How many operations of the store failed.
     */
    storeFailures: number;
    /**
     * Returns the status as in all languages: with the contract's names, and times in Unix seconds.
     */
    toJSON: () => Record<string, any>;
};
type Code$1 = Code$2;

/**
 * A place where several clients share one token. Anyone who can read it has the token. If a method throws or takes longer than
 * a second, the call continues without the store.
 */
type Store$1 = {
    /**
     * Returns the value, or null if it is missing or has expired.
     */
    get: (key: string) => Promise<string | null>;
    /**
     * Sets the value if the key has none,
     * atomically. Returns whether it did.
     */
    add: (key: string, value: string, ttlSeconds: number) => Promise<boolean>;
    /**
     * Sets the value.
     */
    set: (key: string, value: string, ttlSeconds: number) => Promise<void>;
};

/**
 * A body as `fetch` takes it.
 */
type Payload = NonNullable<RequestInit["body"]>;
/**
 * The body of a request. A stream can be sent only once; a function is called for each attempt, and returns a new one.
 */
type Body = Payload | (() => Payload | Promise<Payload>);
/**
 * Headers as `fetch` takes them.
 */
type RequestHeaders = ConstructorParameters<typeof Headers>[0];
/**
 * The part of `fetch` that a client needs.
 */
type Fetch = (url: string, init: RequestInit) => Promise<Response>;
/**
 * Receives log lines: `console`, or the logger of a framework.
 */
type Logger = {
    debug: (line: string) => void;
    warn: (line: string) => void;
};
/**
 * `WebAssembly.Module`, which Node's types do not have.
 */
type WasmModule = typeof globalThis extends {
    WebAssembly: {
        Module: abstract new (...args: any) => infer Module;
    };
} ? Module : object;
/**
 * The file `rostering-core.wasm`: its bytes, or a compiled module, where a runtime compiles nothing.
 */
type Source = ArrayBuffer | ArrayBufferView | WasmModule;
/**
 * How a client works.
 */
type Options = {
    /**
     * Replaces the plugin in the package, for a runtime that can use neither its module nor its file.
     */
    plugin?: Source;
    /**
     * Shares the token with other clients.
     */
    store?: Store$1;
    /**
     * Of all calls, unless a call has one of the same name.
     */
    headers?: RequestHeaders;
    /**
     * Sends the requests, for a custom proxy or certificate authority.
     */
    fetch?: Fetch;
    /**
     * Limits each call with all its requests and waits (default: 30,000). 0 or Infinity disables
     * it.
     */
    timeoutMs?: number;
    /**
     * Limits a response, in bytes (default: 64 MiB).
     */
    maxBody?: number;
    /**
     * Returns the time in milliseconds, by which tokens expire, for tests (default: `Date.now`).
     * Timeouts keep the system's.
     */
    clock?: () => number;
    /**
     * Receives log lines, which have neither secrets nor tokens. Without it, only the warnings of a
     * failing store are logged, to the console.
     */
    logger?: Logger;
    /**
     * Receives what continues after a call, such as a renewal of
     * the token, or the token request of a call that ended early, in runtimes that would cancel it (default: a Worker's own).
     */
    waitUntil?: (section: Promise<unknown>) => void;
};
/**
 * How one call works.
 */
type CallOptions = {
    /**
     * Ends the call, but not a token request that other calls may wait for.
     */
    signal?: AbortSignal | null;
    /**
     * Overrides the client's.
     */
    timeoutMs?: number;
    /**
     * Overrides the client's.
     */
    waitUntil?: Options["waitUntil"];
};
/**
 * The customer and the user of one call: they override the view's and the config's. `null` omits the header.
 */
type Ids = {
    customerId?: string | null;
    userId?: string | null;
};
/**
 * Which token to return. By default, the cached one.
 */
type TokenRequest = {
    /**
     * Requests a new token. If that fails, the cached one is kept.
     */
    force?: boolean;
    /**
     * An access token that got a 401 from the service: another one is returned.
     */
    refused?: string;
};
/**
 * A request to the service.
 */
type ServiceRequest = {
    /**
     * Begins with a slash, may have a query, and is appended to baseUrl.
     */
    path: string;
    /**
     * GET by default.
     */
    method?: string;
    /**
     * In addition to those that the plugin sets.
     */
    headers?: RequestHeaders;
    /**
     * Appended to the path's query.
     */
    searchParams?: ConstructorParameters<typeof URLSearchParams>[0];
    /**
     * Sent as JSON, with `application/json` as its Content-Type unless the headers have one.
     */
    json?: unknown;
    /**
     * What fetch takes; a string gets no Content-Type. After a 401, a request whose body is a
     * stream is not retried: the call fails with `service_unauthorized`, and the next call gets a new token.
     */
    body?: Body | null;
};
/**
 * How to close a client: `timeoutMs` cancels calls after this time (default: never).
 */
type CloseOptions = {
    timeoutMs?: number;
};

/**
 * A token as the plugin writes it. `expires_at` is in Unix seconds.
 *
 * @typedef {{access_token: string, token_type: string, expires_at: number, cache_key: string}} TokenObject
 */
/** An access token. Its secret part is not shown when it is printed, logged or serialized to JSON. */
declare class Token {
    /** @param {TokenObject} fields */
    constructor(fields: TokenObject$1);
    /** `Bearer` */
    tokenType: string;
    /** When the token expires. */
    expiresAt: Date;
    /** Names whose token it is. It has no secret. */
    cacheKey: string;
    /** The secret part, for the header `Authorization: Bearer …`. */
    get accessToken(): string;
    /**
     * Returns the token object, with the secret part, for storage. `new Token(object)` restores the token.
     *
     * @returns {TokenObject}
     */
    toObject(): TokenObject$1;
    #private;
}
/**
 * A token as the plugin writes it. `expires_at` is in Unix seconds.
 */
type TokenObject$1 = {
    access_token: string;
    token_type: string;
    expires_at: number;
    cache_key: string;
};

/**
 * The service, the client and the customer. It is validated when a client opens: a RosteringError then names the field.
 *
 * @typedef {object} Config
 * @property {string} authUrl The identity provider: https, or http on loopback.
 * @property {string} [baseUrl] The service; not needed for getToken.
 * @property {string} clientId
 * @property {string} clientSecret
 * @property {Environment} [environment] Selects the scope; required unless `scope` is set.
 * @property {string} [scope] Overrides the environment's scope.
 * @property {string} [customerId] Sent with each request, unless the call has another one.
 * @property {string} [userId] Sent with each request, unless the call has another one.
 * @property {number} [refreshMargin] Renew the token this many whole seconds before it expires (default: 60), but at most
 *   half of its lifetime before.
 * @property {boolean} [allowHttp] Permits http beyond loopback, where others can read the secret.
 */
/** @typedef {'stage' | 'production'} Environment */
/**
 * Reads a config from environment variables: `authUrl` from `ROSTERING_AUTH_URL`, and so on. An empty variable counts as
 * missing. Opening a client validates the values. In place of the secret, `ROSTERING_CLIENT_SECRET_FILE` may name a file that
 * has it; a RosteringError says what is wrong with that. `console.log` of the config hides the secret.
 *
 * @param {object} [env] default: `process.env`. In a Worker, pass its `env`.
 * @returns {Config}
 */
declare function configFromEnv(env?: object): Config$1;
/**
 * The service, the client and the customer. It is validated when a client opens: a RosteringError then names the field.
 */
type Config$1 = {
    /**
     * The identity provider: https, or http on loopback.
     */
    authUrl: string;
    /**
     * The service; not needed for getToken.
     */
    baseUrl?: string;
    clientId: string;
    clientSecret: string;
    /**
     * Selects the scope; required unless `scope` is set.
     */
    environment?: Environment$1;
    /**
     * Overrides the environment's scope.
     */
    scope?: string;
    /**
     * Sent with each request, unless the call has another one.
     */
    customerId?: string;
    /**
     * Sent with each request, unless the call has another one.
     */
    userId?: string;
    /**
     * Renew the token this many whole seconds before it expires (default: 60), but at most
     * half of its lifetime before.
     */
    refreshMargin?: number;
    /**
     * Permits http beyond loopback, where others can read the secret.
     */
    allowHttp?: boolean;
};
type Environment$1 = "stage" | "production";

/** A client of the service, which caches the token. Share one: calls may be made at any time, and concurrently. */
declare class Client$1 {
    /** Returns the client, unless a method was called without it. @param {unknown} client @returns {Client} */
    static #of(client: unknown): Client$1;
    /**
     * Opens a client: loads the plugin, and validates the config and the options. Sends nothing.
     *
     * @param {Config} config
     * @param {Options} [options]
     * @returns {Promise<Client>}
     * @throws {import('./error.js').RosteringError} if the config or the plugin is invalid
     */
    static open(config: Config$1, options?: Options): Promise<Client$1>;
    /** @param {Shared} shared @param {string | undefined} baseUrl @param {Ids} [ids] of a view @private */
    private constructor();
    /** The service's URL, as in the config. @readonly */
    readonly baseUrl: string | undefined;
    /** Returns a view: this client, with another customer in its calls, or none. @param {string | null} customerId */
    forCustomer(customerId: string | null): Client$1;
    /** Returns a view: this client, with another user in its calls, or none. @param {string | null} userId */
    forUser(userId: string | null): Client$1;
    /**
     * Returns an access token for your own requests: the cached one, or a new one.
     *
     * @param {TokenRequest & CallOptions} [given]
     * @returns {Promise<Token>}
     */
    getToken(given?: TokenRequest & CallOptions): Promise<Token>;
    /**
     * Lists the jobs.
     *
     * @param {Ids & CallOptions & {headers?: RequestHeaders}} [given]
     * @returns {Promise<Response>} with a 2xx status, whose body is in memory
     */
    listJobs(given?: Ids & CallOptions & {
        headers?: RequestHeaders;
    }): Promise<Response>;
    /**
     * Sends any request to the service.
     *
     * @param {ServiceRequest & Ids & CallOptions} given
     * @returns {Promise<Response>} with a 2xx status, or 304, whose body is in memory
     */
    sendRequest(given: ServiceRequest & Ids & CallOptions): Promise<Response>;
    /** Caches a token that another client with the same config obtained. @param {Token} token */
    setToken(token: Token): Promise<void>;
    /** Changes the secret from the next token request on. If it is invalid, the one before stays. @param {string} secret */
    setSecret(secret: string): Promise<void>;
    /** Returns counters and the state of the token. Sends nothing, and works after `close`, too. */
    status(): Status$1;
    /** Forgets the token, and the backoff after a failed token request. */
    clearToken(): Promise<void>;
    /**
     * Closes the client, unless it is a view: waits for the calls in progress, and for what is being written to the store, a second
     * each.
     *
     * @param {CloseOptions} [options]
     */
    close(options?: CloseOptions): Promise<void>;
    /** Closes the client at the end of `await using`. */
    [Symbol.asyncDispose](): Promise<void>;
    #private;
}
/**
 * The calls of a {@link Client}, or of a fake in your tests.
 */
type JobsClient$1 = Pick<Client$1, "listJobs" | "sendRequest"> & Record<"forCustomer" | "forUser", (id: string | null) => JobsClient$1>;

/**
 * Returns a `fetch` that adds the token to requests to the origin of the config's `baseUrl` without an `Authorization`.
 *
 * It returns a 401 if there is no other token, or if the body is a stream, which cannot be sent again. It keeps the body of a
 * `Request` in memory for that. It throws what `fetch` and {@link Client.getToken} throw. It follows the redirects of a GET or
 * HEAD, and a 303, and returns others.
 *
 * @param {Client} client Its config needs a `baseUrl`.
 * @param {WebFetch} [send] Sends the requests, instead of the global `fetch`.
 * @returns {(input: string | URL | Request, init?: RequestInit) => Promise<Response>}
 * @throws {RosteringError} `config_missing` if there is no `baseUrl`
 */
declare function withToken(client: Client, send?: WebFetch$1): (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
type Client = Client$1;
/**
 * A function that is called like `fetch`.
 */
type WebFetch$1 = (input: any, init?: RequestInit) => Promise<Response>;

/**
 * For how long to retry.
 *
 * @typedef {object} RetryOptions
 * @property {number} [deadlineMs] Starts no wait that would end after this time (default: 60,000). Infinity retries until the
 *   call succeeds.
 * @property {(error: RosteringError) => boolean} [retryIf] Whether to retry after an error, in place of its `retryable`.
 * @property {AbortSignal | null} [signal] Ends the waits. Pass it to the call, too.
 */
/**
 * Retries a call while it fails with a {@link RosteringError} that is retryable: after its `retryAfter`, or 1 s, 2 s … 30 s.
 *
 * @template T
 * @param {() => Promise<T>} call such as `() => client.listJobs()`
 * @param {RetryOptions} [options]
 * @returns {Promise<T>}
 */
declare function retry<T>(call: () => Promise<T>, options?: RetryOptions$1): Promise<T>;
/**
 * For how long to retry.
 */
type RetryOptions$1 = {
    /**
     * Starts no wait that would end after this time (default: 60,000). Infinity retries until the
     * call succeeds.
     */
    deadlineMs?: number;
    /**
     * Whether to retry after an error, in place of its `retryable`.
     */
    retryIf?: (error: RosteringError) => boolean;
    /**
     * Ends the waits. Pass it to the call, too.
     */
    signal?: AbortSignal | null;
};

/** @typedef {import('./store.js').Store} Store */
/** A store for the clients of one process. @implements {Store} */
declare class MemoryStore implements Store {
    /** @param {string} key @returns {Promise<string | null>} */
    get(key: string): Promise<string | null>;
    /** @param {string} key @param {string} value @param {number} ttlSeconds */
    add(key: string, value: string, ttlSeconds: number): Promise<boolean>;
    /** @param {string} key @param {string} value @param {number} ttlSeconds */
    set(key: string, value: string, ttlSeconds: number): Promise<void>;
    #private;
}
type Store = Store$1;

/** The version of this package. */
declare const version: "0.1.0";
/** The version of the contract between a plugin and its host that this package implements. */
declare const contract: 1;

type JobsClient = JobsClient$1;
type Config = Config$1;
type Environment = Environment$1;
type Code = Code$2;
type ErrorFields = ErrorFields$1;
type FailedRequest = FailedRequest$1;
type Problem = Problem$1;
type Reason = Reason$1;
type RetryOptions = RetryOptions$1;
type Status = Status$1;
type TokenObject = TokenObject$1;
type WebFetch = WebFetch$1;

export { Client$1 as Client, MemoryStore, RosteringError, Token, configFromEnv, contract, retry, version, withToken };
export type { Body, CallOptions, CloseOptions, Code, Config, Environment, ErrorFields, FailedRequest, Fetch, Ids, JobsClient, Logger, Options, Payload, Problem, Reason, RequestHeaders, RetryOptions, ServiceRequest, Source, Status, Store$1 as Store, TokenObject, TokenRequest, WasmModule, WebFetch };
