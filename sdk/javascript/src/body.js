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

/**
 * Makes a response like that of fetch, but with its body in memory.
 *
 * @param {import('./http.js').Outcome} outcome
 */
export function toResponse({ status, headers = new Headers(), body }) {
  const whole = body?.length ? body : null;
  try {
    if (!headers.has('Content-Encoding')) return new Response(whole, { status, headers });
  } catch {
    // Node's fetch accepts a header without a name, and a Response does not.
  }
  // The body is decoded, so a Response that is forwarded must not claim otherwise.
  const own = [...headers].filter(([name]) => name !== '' && !ofEncoding.has(name));
  return new Response(whole, { status, headers: own });
}
