// Requests that wait for each other in one isolate: one of them requests a token, and the others wait for it.

import { fakePlugin, steps } from '../../../tests/fake-plugin.js';
import { Client } from '../../../src/index.js';

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

let client: Client | undefined;

export default {
  async fetch(request, _env, context): Promise<Response> {
    const path = new URL(request.url).searchParams.get('url') ?? '';
    const opened =
      client ??
      (await Client.open({ authUrl: '', clientId: '', clientSecret: '' }, { plugin: () => Promise.resolve(plugin) }));
    client ??= opened;
    const { signal } = request;
    const waitUntil = (section: Promise<unknown>) => context.waitUntil(section);
    const { headers } = await client.sendRequest({ path, signal, waitUntil });
    signal.throwIfAborted(); // which workerd forbids another request
    return new Response(headers.get('Location'));
  },
} satisfies ExportedHandler;
