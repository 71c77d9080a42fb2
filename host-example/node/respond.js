// What the raw host of the scenarios does with a request, on all runtimes of JavaScript: see docs/hosts.md.

import { createPlugin } from 'extism';

/** @type {import('extism').Plugin | undefined} */
let plugin;
/** @type {{level: string, line: string}[]} */
let logs = [];
const at = (/** @type {string} */ level) => (/** @type {string} */ line) => void logs.push({ level, line });
const logger = { ...console, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };

/**
 * @param {any} request
 * @param {import('extism').ExtismPluginOptions} [options] those of the runtime
 * @returns {Promise<object>}
 */
export async function respond(request, options) {
  const {
    op,
    wasm,
    wasi: useWasi = false,
    config = {},
    allowed_hosts: allowedHosts = [],
    export: name,
    input,
  } = request;
  logs = [];
  try {
    if (op === 'create') {
      await plugin?.close();
      plugin = await createPlugin(wasm, { useWasi, config, allowedHosts, logger, logLevel: 'debug', ...options });
      return {};
    }
    const bytes = Uint8Array.from(atob(input ?? ''), (character) => character.charCodeAt(0));
    const output = (await plugin?.call(name, bytes))?.bytes() ?? [];
    return { output: btoa(Array.from(output, (byte) => String.fromCharCode(byte)).join('')), logs };
  } catch (thrown) {
    const { message } = /** @type {Error} */ (thrown);
    const [, error] = message.split('Plugin-originated error: ');
    return { ...(error ? { error } : { trap: message }), logs };
  }
}
