/**
 * A fetch for the SDK that never throws. In a worker, the SDK ends a call for good when fetch throws, and the next call
 * hangs. The plugin takes a response with status 0 for a lost request.
 *
 * @param {(url: string | URL | Request, init?: RequestInit) => Promise<Response>} send
 * @returns {typeof fetch}
 */
export function answerFailures(send) {
  return /** @type {typeof fetch} */ (
    async (url, init) => {
      try {
        const { status, headers, body } = await send(url, init);
        const whole = await new Response(body).arrayBuffer(); // so that the SDK does not meet one that breaks off
        return /** @type {any} */ ({ status, headers, arrayBuffer: async () => whole });
      } catch {
        return Response.error();
      }
    }
  );
}
