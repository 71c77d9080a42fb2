/**
 * Reads a body, but not beyond the limit.
 *
 * @param {ReadableStream<Uint8Array> | null} stream
 * @param {number} limit in bytes
 */
export async function read(stream, limit) {
  const chunks = [];
  let length = 0;
  for await (const chunk of stream ?? []) {
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

/**
 * The text of a body, for the plugin.
 *
 * @param {Uint8Array} body
 */
export const toText = (body) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);

/**
 * The response as fetch would return it, but with its body in memory.
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
