/**
 * What begin and resume give: a request to send, or the end of the call, with an output if it is a token.
 *
 * @typedef {{step: 'request' | 'done', flow: object, request: Request, output?: object}} Step
 */

/** @typedef {{method: string, url: string, headers: Record<string, string>, body?: string}} Request */

/**
 * What came of a request: `told` is for resume.
 *
 * @typedef {{told: {status: number, headers: Record<string, string>} | {failed: string}, body: Uint8Array}} Answer
 */

/**
 * @typedef {object} Parts
 * @property {Pick<import('extism').Plugin, 'call'>} plugin
 * @property {import('./turns.js').TurnTaking} turns Are the plugin's: no other call of it may overlap.
 * @property {(request: Request, signal?: AbortSignal) => Promise<Answer>} send Never throws.
 * @property {() => number | undefined} now The time in Unix seconds.
 */

/**
 * Makes a call of the plugin by its exports begin and resume, and sends the requests. Calls may overlap:
 * the plugin is busy between requests only, and while it waits for a token, which the others then find.
 *
 * @param {Parts} parts
 * @param {string} call list_jobs, get_token or send_request
 * @param {Record<string, unknown>} [input] its time wins over the clock's
 * @param {AbortSignal} [signal] ends the call, but not a request for a token, for which others may wait
 * @returns {Promise<Uint8Array>} the service's answer, or the token object
 * @throws what the SDK throws, or the signal's reason
 */
export async function drive({ plugin, turns, send, now }, call, input, signal) {
  /** @type {(name: string, input: object) => Promise<Step>} */
  const step = async (name, input) => {
    const output = await plugin.call(name, JSON.stringify(input));
    return output?.json();
  };
  /** @type {(name: string, input: () => object) => Promise<Step>} */
  const untilService = (name, input) =>
    turns.take(async () => {
      let next = await step(name, input()); // with the time at which its turn has come
      while (next.step === 'request' && isForToken(next.request)) {
        const { told, body } = await send(next.request);
        const whole = 'failed' in told ? told : { ...told, body: text(body) };
        next = await step('resume', { flow: next.flow, now: now(), ...whole });
      }
      return next;
    }, signal);

  let next = await untilService('begin', () => ({ call, input: { now: now(), ...input } }));
  /** @type {Uint8Array} */
  let last = new Uint8Array();
  while (next.step === 'request') {
    const { flow, request } = next;
    const { told, body } = await send(request, signal);
    last = body;
    next = await untilService('resume', () => ({ flow, now: now(), ...told }));
  }
  return next.output ? new TextEncoder().encode(JSON.stringify(next.output)) : last;
}

/**
 * A request to the service has a token, even where the caller's path looks like the token endpoint's.
 *
 * @param {Request} request
 */
const isForToken = ({ url, headers }) => url.endsWith('/connect/token') && !headers.Authorization;

const longest = 256 << 10; // bytes of a token answer that the plugin reads

/** @param {Uint8Array} body */
function text(body) {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body.subarray(0, longest + 1));
}
