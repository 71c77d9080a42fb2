import { RosteringError, type Code } from 'automatic-rostering';

const titles = {
  404: 'Not Found',
  405: 'Method Not Allowed',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
} as const;

/** Makes a response with problem details (RFC 9457): `title`, `status` and the fields. */
export function problem(status: keyof typeof titles, fields: object = {}, headers: HeadersInit = {}): Response {
  const body = JSON.stringify({ title: titles[status], status, ...fields });
  const response = new Response(body, { status, headers });
  response.headers.set('Content-Type', 'application/problem+json');
  response.headers.set('Cache-Control', 'no-store');
  return response;
}

/**
 * Makes the response to a request whose call failed: 503 with `Retry-After` if it is retryable, 502 if the service or the
 * identity provider caused it, 500 if this Worker did. What those responded is only logged.
 */
export function failure(error: unknown): Response {
  if (!(error instanceof RosteringError)) {
    console.error(String(error));
    return problem(500);
  }
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  console.error(JSON.stringify({ ...error.toJSON(), cause }));
  const { code, message: detail, retryable, retryAfter = 1 } = error;
  if (retryable) return problem(503, { code, detail }, { 'Retry-After': String(retryAfter) });
  return problem(isOurs(code) ? 500 : 502, { code, detail });
}

const isOurs = (code: Code) => code.startsWith('config_') || code === 'invalid_input' || code === 'clock_unusable';
