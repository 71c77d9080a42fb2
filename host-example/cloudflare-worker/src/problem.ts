import { RosteringError } from '../../node/rostering/index.js';
import { BusyError } from './turns.js';

const titles = {
  404: 'Not Found',
  405: 'Method Not Allowed',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
} as const;

/** An answer with problem details (RFC 9457): `title`, `status`, and what the fields say. */
export function problem(status: keyof typeof titles, fields: object = {}, headers: HeadersInit = {}): Response {
  const body = JSON.stringify({ title: titles[status], status, ...fields });
  const answer = new Response(body, { status, headers });
  answer.headers.set('Content-Type', 'application/problem+json');
  answer.headers.set('Cache-Control', 'no-store');
  return answer;
}

/**
 * The answer to a request whose call failed: 503 with `Retry-After` where another try may do, 502 where
 * the service or the identity provider has to be looked at, 500 where this Worker has to be. What the
 * identity provider itself said goes into the log alone.
 */
export function failure(error: unknown): Response {
  if (error instanceof Error && error.cause instanceof BusyError) {
    return problem(503, { detail: error.cause.message }, { 'Retry-After': '1' });
  }
  if (!(error instanceof RosteringError)) {
    console.error(String(error));
    return problem(500);
  }
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  console.error(JSON.stringify(Object.assign({ message: error.message, cause }, error)));
  const { code, message: detail, retryable, retryAfter = 1 } = error;
  if (retryable) return problem(503, { code, detail }, { 'Retry-After': String(retryAfter) });
  return problem(isOurs(code) ? 500 : 502, { code, detail });
}

const isOurs = (code: string) => code.startsWith('config_') || code === 'invalid_input' || code === 'clock_unusable';
