/**
 * As much of fetch as the plugin needs.
 *
 * @typedef {(url: string | URL | Request, init?: RequestInit) => Promise<Response>} Fetch
 */

/**
 * A fetch for the SDK that never throws. When fetch throws, the SDK ends the plugin's call with
 * it, and in a worker the instance is dead from then on. A response with status 0 is what the
 * plugin can see: it says `network_error`, keeps its back-off, or goes on with an older token.
 *
 * @param {Fetch} send
 * @param {(cause: unknown) => void} [lost] is told why there is no answer
 * @returns {typeof fetch}
 */
export function answerFailures(send, lost = () => {}) {
  /** @type {Fetch} */
  const answering = async (url, init) => {
    try {
      return await whole(await send(url, init));
    } catch (cause) {
      lost(cause);
      return Response.error();
    }
  };
  return /** @type {typeof fetch} */ (answering); // Bun's can do more
}

/**
 * A response whose body has arrived, so that the SDK does not meet one that breaks off.
 *
 * @param {Response} response
 * @returns {Promise<Response>}
 */
async function whole(response) {
  const body = await response.arrayBuffer();
  const { status, headers } = response;
  // Not new Response(body, …), which refuses some statuses.
  return /** @type {any} */ ({ status, headers, arrayBuffer: async () => body });
}
