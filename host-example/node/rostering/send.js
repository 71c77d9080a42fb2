/**
 * Sends a request of the plugin's. Does not follow a redirect, which could take the secret to another host.
 *
 * @param {import('./fetch.js').Fetch} fetch
 * @param {import('./drive.js').Request} request
 * @param {AbortSignal} [signal]
 * @returns {Promise<import('./drive.js').Answer & {lost?: unknown}>} `lost` is why there is no answer
 */
export async function send(fetch, { method, url, headers, body }, signal) {
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: body ? new TextEncoder().encode(body) : null, // with a text, fetch would say that it is one
      redirect: 'manual',
      signal: signal ?? null,
    });
    const whole = new Uint8Array(await response.arrayBuffer());
    return { told: { status: response.status, headers: Object.fromEntries(response.headers) }, body: whole };
  } catch (lost) {
    return { told: { failed: reason(lost) }, body: new Uint8Array(), lost };
  }
}

/**
 * What fetch throws has a cause as well, which says more; one for several addresses has a code alone.
 *
 * @param {any} thrown
 * @returns {string}
 */
function reason(thrown) {
  const own = thrown?.message || !thrown?.code ? String(thrown) : `${thrown.name}: ${thrown.code}`;
  return thrown?.cause ? `${own}: ${reason(thrown.cause)}` : own;
}
