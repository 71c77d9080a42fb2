/**
 * Reads the body of a response up to the limit, or until the signal is aborted, and cancels the rest.
 *
 * @param {Response} response
 * @param {number} limit in bytes
 * @param {AbortSignal} signal
 */
export async function read(response, limit, signal) {
  const { headers, body } = response;
  const known = headers.get('Content-Length'); // of what is sent, which may decode to more; Deno and Bun may ignore it for chunks
  const isLength = known !== null && !headers.has('Content-Encoding') && !headers.has('Transfer-Encoding');
  if (isLength && Number(known) <= limit) {
    return new Uint8Array(await response.arrayBuffer()).subarray(0, limit); // half as much work as a stream
  }
  const chunks = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    if (signal.aborted) break;
    if (chunk.length === 0) continue;
    chunks.push(chunk.slice(0, limit - length)); // a copy, as Deno's chunk is a view of a buffer of eight times its size
    length += chunk.length;
    if (length >= limit) break; // which cancels the rest
  }
  const whole = new Uint8Array(Math.min(length, limit));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Frees what a body holds that nothing reads: a connection, or a file. @param {any} body */
export function discard(body) {
  const end = body?.cancel ?? body?.destroy ?? body?.return; // of a stream of the web, one of Node, or a generator
  void (async () => end?.call(body))().catch(() => {});
}

const isName = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Makes headers, without names that are invalid: Node 20 receives some, and others show where a secret was.
 *
 * @param {Iterable<[string, string | string[]]>} fields
 * @param {(name: string) => boolean} [isKept]
 */
export function validHeaders(fields, isKept = () => true) {
  const headers = new Headers();
  for (const [name, values] of fields)
    if (isName.test(name) && isKept(name)) for (const value of [values].flat()) headers.append(name, value);
  return headers;
}

const ofEncoding = new Set(['content-encoding', 'content-length']);

/** Makes a response like that of fetch, but with its body in memory. @param {import('./http.js').Outcome} outcome */
export function toResponse({ status, headers = new Headers(), body = new Uint8Array() }) {
  // The body is decoded, so a Response that is forwarded must not claim otherwise.
  const own = headers.has('Content-Encoding') ? validHeaders(headers, (name) => !ofEncoding.has(name)) : headers;
  const bytes = /** @type {any} */ (body); // older versions of TypeScript have no Uint8Array<ArrayBuffer>
  if (isNode) return new Whole(bytes, status, own);
  return new Response(bytes.length > 0 ? bytes : null, { status, headers: own });
}

// Elsewhere, a server reads the body of a Response that it forwards without asking its methods.
export const isNode = !('Deno' in globalThis || 'Bun' in globalThis) && globalThis.process?.release?.name === 'node';

/**
 * A Response with a body that is in memory. Node makes a stream for each body and copies the headers, which costs a fourth of a
 * request: this one has no stream until something asks for it.
 */
class Whole extends Response {
  #bytes;
  #status;
  #headers;
  #streamed = /** @type {Response | undefined} */ (undefined);

  /** @param {Uint8Array<ArrayBuffer>} bytes @param {number} status @param {Headers} headers */
  constructor(bytes, status, headers) {
    super(null);
    this.#bytes = bytes;
    this.#status = status;
    this.#headers = headers;
  }

  get status() {
    return this.#status;
  }
  get ok() {
    return this.#status < 300;
  }
  get headers() {
    return this.#headers;
  }
  get body() {
    return this.#bytes.length > 0 ? (this.#streamed ??= this.#again()).body : null;
  }
  get bodyUsed() {
    return this.#streamed?.bodyUsed ?? false;
  }
  clone() {
    return new Whole(this.#bytes, this.#status, this.#headers);
  }
  async bytes() {
    return this.#bytes.slice();
  }
  async arrayBuffer() {
    return this.#bytes.slice().buffer;
  }
  async text() {
    return new TextDecoder().decode(this.#bytes);
  }
  async json() {
    return JSON.parse(await this.text());
  }
  blob() {
    return this.#again().blob();
  }
  formData() {
    return this.#again().formData();
  }

  #again() {
    return new Response(this.#bytes, { headers: validHeaders(this.#headers) });
  }
}
