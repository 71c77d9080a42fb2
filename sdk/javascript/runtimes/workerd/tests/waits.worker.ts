// Requests that wait for each other in one isolate: one of them requests a token, and the others wait for it.

import { fakePlugin, steps } from '../../../tests/fake-plugin.js';
import { Calls } from '../../../src/calls.js';

interface Flow {
  url: string;
  waits?: true;
}

let requesting = false;

const plugin = fakePlugin({
  begin: ({ input }: { input: { path: string } }) => {
    const flow: Flow = { url: input.path };
    if (requesting) return steps.wait({ ...flow, waits: true });
    requesting = true;
    return steps.token(flow, flow.url);
  },
  resume: ({ flow: { url, waits } }: { flow: Flow }) => {
    if (waits) return steps.service(`${url}-waited`);
    requesting = false;
    return steps.service(url);
  },
});

const calls = new Calls(plugin, {});

export default {
  async fetch(request, _env, context): Promise<Response> {
    const path = new URL(request.url).searchParams.get('url') ?? '';
    const { signal } = request;
    const waitUntil = (section: Promise<unknown>) => context.waitUntil(section);
    const { response } = await calls.make('send_request', { path }, { signal, waitUntil });
    signal.throwIfAborted(); // which workerd forbids another request
    return new Response(response?.headers.get('Location'));
  },
} satisfies ExportedHandler;
