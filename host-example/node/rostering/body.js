/**
 * What fetch takes as a body. A stream can be sent once; a function that returns a new one each time can be repeated.
 *
 * @typedef {BodyInit} Payload
 * @typedef {Payload | (() => Payload | Promise<Payload>)} Body
 */

/**
 * A function that returns the body each time it is sent, and throws if that is not possible.
 *
 * @param {Body} body
 * @returns {() => Payload | Promise<Payload>}
 */
export function repeatable(body) {
  if (typeof body === 'function') return body;
  // Node's fetch takes any async iterable.
  const once = body instanceof ReadableStream || (typeof body === 'object' && Symbol.asyncIterator in body);
  let sent = false;
  return () => {
    if (sent && once) throw new TypeError('a stream cannot be sent again');
    sent = true;
    return body;
  };
}

/**
 * Reads a whole body, but at most one byte more than the limit.
 *
 * @param {ReadableStream<Uint8Array> | null} stream
 * @param {number} limit in bytes
 */
export async function read(stream, limit) {
  const chunks = [];
  let length = 0;
  for await (const chunk of stream ?? []) {
    chunks.push(chunk.subarray(0, limit + 1 - length));
    length += chunk.length;
    if (length > limit) break; // which cancels the rest
  }
  const whole = new Uint8Array(Math.min(length, limit + 1));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/**
 * The text of a body, for the plugin.
 *
 * @param {Uint8Array} body
 */
export const toText = (body) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);

/**
 * The answer as fetch would return it, but with its body in memory.
 *
 * @param {import('./http.js').Answer} answer
 */
export function toResponse({ status, headers, body }) {
  const own = new Headers(headers);
  if (own.has('Content-Encoding')) {
    // The body is decoded; a Response that is passed on must not claim otherwise.
    own.delete('Content-Encoding');
    own.delete('Content-Length');
  }
  return new Response(body.length > 0 ? body : null, { status, headers: own });
}
