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
  /** @param {Request} request @param {unknown} _env @param {{waitUntil: (section: Promise<unknown>) => void}} context */
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
    const lines = new ReadableStream({
      async start(controller) {
        const write = (/** @type {object[]} */ ...objects) => {
          const lines = [...events.splice(0), ...objects].map((object) => `${JSON.stringify(object)}\n`);
          if (lines.length > 0) controller.enqueue(new TextEncoder().encode(lines.join('')));
        };
        write({ id: line.id, ...(await responded) });
        await Promise.all(sections); // which may log
        write();
        controller.close();
      },
    });
    return new Response(lines);
  },
};
