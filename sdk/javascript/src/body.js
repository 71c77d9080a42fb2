/**
 * Reads the body of a response up to the limit, and cancels the rest.
 *
 * @param {Response} response
 * @param {number} limit in bytes
 */
export async function read(response, limit) {
  const { headers, body } = response;
  const known = headers.get('Content-Length'); // of what is sent, which may decode to more
  if (known !== null && Number(known) <= limit && !headers.has('Content-Encoding')) {
    return new Uint8Array(await response.arrayBuffer()).subarray(0, limit); // half as much work as a stream
  }
  const chunks = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk.subarray(0, limit - length));
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

const ofEncoding = new Set(['content-encoding', 'content-length']);

/** Makes a response like that of fetch, but with its body in memory. @param {import('./http.js').Outcome} outcome */
export function toResponse({ status, headers = new Headers(), body }) {
  const whole = body?.length ? body : null;
  const make = (/** @type {HeadersInit} */ headers) =>
    whole && isNode ? new Whole(whole, { status, headers }) : new Response(whole, { status, headers });
  try {
    if (!headers.has('Content-Encoding')) return make(headers);
  } catch {
    // Node's fetch accepts a header without a name, and a Response does not.
  }
  // The body is decoded, so a Response that is forwarded must not claim otherwise.
  return make([...headers].filter(([name]) => name !== '' && !ofEncoding.has(name)));
}

// Elsewhere, a server reads the body of a Response that it forwards without asking its methods.
const isNode = !('Deno' in globalThis || 'Bun' in globalThis) && globalThis.process?.release?.name === 'node';

/**
 * A Response with a body that is in memory. Node makes a stream for each body, which costs a fourth of a request: this one has
 * none until something asks for it.
 */
class Whole extends Response {
  #bytes;
  #streamed = /** @type {Response | undefined} */ (undefined);

  /** @param {Uint8Array<ArrayBuffer>} bytes @param {ResponseInit} init */
  constructor(bytes, init) {
    super(null, init);
    this.#bytes = bytes;
  }

  get body() {
    return (this.#streamed ??= new Response(this.#bytes)).body;
  }
  get bodyUsed() {
    return this.#streamed?.bodyUsed ?? false;
  }
  clone() {
    return new Whole(this.#bytes, this);
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
    return new Response(this.#bytes, this).blob();
  }
  formData() {
    return new Response(this.#bytes, this).formData();
  }
}
