/**
 * Makes a fetch for the SDK that never throws: it returns status 0, by which the plugin knows that there was no response. In
 * a worker, the call after one in which fetch throws would hang.
 *
 * @param {(url: string | URL | Request, init?: RequestInit) => Promise<Response>} send
 * @returns {typeof fetch}
 */
export function answerFailures(send) {
  return /** @type {typeof fetch} */ (
    async (url, init) => {
      try {
        const { status, headers, body } = await send(url, init);
        const whole = await new Response(body).arrayBuffer(); // so that the SDK never sees one that breaks off
        return /** @type {any} */ ({ status, headers, arrayBuffer: async () => whole });
      } catch {
        return Response.error();
      }
    }
  );
}
