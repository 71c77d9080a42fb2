// What a server sent goes into no error: it may repeat a secret, whole or in pieces.

const isName = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * Copies headers, without names that are invalid: Node 20 receives some, and then refuses to copy them.
 *
 * @param {Headers} headers
 * @param {(name: string) => boolean} isKept
 * @param {(value: string) => string} [change]
 */
export function copied(headers, isKept, change = (value) => value) {
  const own = new Headers();
  for (const [name, value] of headers) if (isName.test(name) && isKept(name)) own.append(name, change(value));
  return own;
}

/** Copies the headers of a response, without secrets that they repeat. @param {Headers} headers @param {string[]} secrets */
export function withoutSecrets(headers, secrets) {
  const forms = secrets.filter(Boolean).flatMap((secret) => {
    const encoded = encodeURIComponent(secret);
    return [secret, encoded, encoded.replaceAll('%20', '+'), JSON.stringify(secret).slice(1, -1)];
  });
  const isClean = (/** @type {string} */ name) => !forms.some((form) => name.includes(form.toLowerCase()));
  const hide = (/** @type {string} */ value) =>
    forms.reduce((text, form) => text.replaceAll(form, '[redacted]'), value);
  return copied(headers, isClean, hide);
}

// What follows in a message is quoted, perhaps from what a server sent: after `"`, or after `; name = ` in workerd.
const quoted = /( fetching)? *".*|; \w+ = .*|(?<=altnames): .*/s;

// Those of errors of a connection. Others have what was received, or the request with the secret.
const fields = new Set([
  ...['name', 'message', 'stack', 'cause', 'errors', 'code', 'errno', 'syscall', 'hostname', 'address', 'port', 'path'],
  ...['line', 'column', 'sourceURL', 'originalLine', 'originalColumn'], // Bun's: where fetch was called
]);

/**
 * Returns what fetch threw, or in place of each error that has more than its own words, one with its name and reason.
 *
 * @param {any} thrown
 * @returns {unknown}
 */
export function cleanCause(thrown) {
  if (typeof thrown !== 'object' || thrown === null) return thrown && new Error(own(thrown));
  const { name, code, errors = [] } = thrown;
  const cause = cleanCause(thrown.cause);
  const isClean =
    thrown instanceof Error &&
    Reflect.ownKeys(thrown).every((key) => typeof key === 'symbol' || fields.has(key)) &&
    !quoted.test(thrown.message) &&
    [...errors, thrown.cause].every((part) => cleanCause(part) === part);
  if (isClean) return thrown;
  const copy = new Error(own(thrown, thrown.message), cause === undefined ? undefined : { cause });
  return Object.assign(copy, { name: String(name), ...(typeof code === 'string' && { code }) });
}

/** @param {any} thrown */
const own = (thrown, text = String(thrown)) => String(text).replace(quoted, '');

/**
 * Describes why a request failed. The error that fetch throws has a cause, which says more; one for several IP addresses
 * has only a code.
 *
 * @param {any} thrown
 * @returns {string}
 */
export function reason(thrown) {
  const text = own(thrown?.message || !thrown?.code ? thrown : `${thrown.name}: ${thrown.code}`);
  return thrown?.cause ? `${text}: ${reason(thrown.cause)}` : text;
}
