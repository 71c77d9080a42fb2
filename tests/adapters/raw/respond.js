// What the raw host does with a request, on all runtimes of JavaScript: see tests/adapters/README.md.

import { createPlugin } from 'extism';

/** @type {import('extism').Plugin | undefined} */
let plugin;
/** @type {object[]} */
let events = [];
const at = (/** @type {string} */ level) => (/** @type {string} */ line) =>
  void events.push({ event: 'log', level, line });
const logger = { ...console, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };

/** Returns events, and the response. @param {any} request @param {import('extism').ExtismPluginOptions} [options] */
export async function respond(request, options) {
  const { id, op, wasm, wasi: useWasi = false, config = {}, allowed_hosts: allowedHosts = [] } = request;
  events = [];
  try {
    if (op === 'open') {
      await plugin?.close();
      plugin = await createPlugin(wasm, { useWasi, config, allowedHosts, logger, logLevel: 'debug', ...options });
      return [{ id }];
    }
    const bytes = Uint8Array.from(request.input ?? '', (/** @type {string} */ character) => character.charCodeAt(0));
    const output = (await plugin?.call(request.export, bytes))?.bytes() ?? [];
    return [...events, { id, output: Array.from(output, (byte) => String.fromCharCode(byte)).join('') }];
  } catch (thrown) {
    const { message } = /** @type {Error} */ (thrown);
    const [, error] = message.split('Plugin-originated error: ');
    return [...events, { id, ...(error ? { error } : { text: message }) }];
  }
}
