// The part of the adapter for workerd that runs in it. Each request of the adapter is one to the Worker, which responds once
// it has begun; the lines of the body are events, and the response.

import { Adapter } from './adapter.js';

/** @type {object[]} */
const events = []; // of all requests: none can write to the response to another

/** @param {any} value @returns {string} */
const show = (value, depth = 0) => {
  const own = typeof value === 'object' && value !== null && depth < 20 ? Reflect.ownKeys(value) : [];
  return [String(value), ...own.map((key) => `${String(key)}: ${show(value[key], depth + 1)}`)].join('\n');
};

const adapter = new Adapter({ emit: (event) => void events.push(event), show });

export default {
  /**
   * @param {Request} request
   * @param {unknown} _env
   * @param {{waitUntil: (section: Promise<unknown>) => void}} context
   */
  async fetch(request, _env, context) {
    /** @type {import('./adapter.js').Request} */
    const line = await request.json();
    delete line.wasm; // which the Worker imports
    /** @type {Promise<unknown>[]} */
    const sections = [];
    const waitUntil = (/** @type {Promise<unknown>} */ section) => {
      sections.push(section);
      context.waitUntil(section);
    };
    const responded = adapter.respond(line, { signal: request.signal, waitUntil });
    if (line.op === 'open') await responded; // the next request finds the client
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    const write = async (/** @type {object[]} */ ...objects) => {
      const lines = [...events.splice(0), ...objects].map((object) => `${JSON.stringify(object)}\n`);
      if (lines.length > 0) await writer.write(new TextEncoder().encode(lines.join('')));
    };
    const written = async () => {
      await write({ id: line.id, ...(await responded) });
      await Promise.all(sections); // which may log
      await write();
      await writer.close();
    };
    written().catch(() => {}); // the caller has hung up
    return new Response(readable);
  },
};
