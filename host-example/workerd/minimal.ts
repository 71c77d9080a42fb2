// Direct calls: the SDK alone, without the client library. The plugin sends the requests through the SDK, and has no clock.

import wasm from 'automatic-rostering/rostering-nowasi.wasm';
import { createPlugin } from 'extism';

export default {
  async fetch(_request, env): Promise<Response> {
    const { ROSTERING_AUTH_URL = '', ROSTERING_BASE_URL = '' } = env;
    const plugin = await createPlugin(
      { wasm: [{ module: wasm as WebAssembly.Module }] },
      {
        allowedHosts: [ROSTERING_AUTH_URL, ROSTERING_BASE_URL].filter(Boolean).map((url) => new URL(url).hostname),
        config: {
          auth_url: ROSTERING_AUTH_URL,
          base_url: ROSTERING_BASE_URL,
          environment: env.ROSTERING_ENVIRONMENT ?? '',
          client_id: env.ROSTERING_CLIENT_ID ?? '',
          client_secret: env.ROSTERING_CLIENT_SECRET ?? '',
          customer_id: env.ROSTERING_CUSTOMER_ID ?? '',
          user_id: env.ROSTERING_USER_ID ?? '',
        },
      },
    );
    try {
      const now = Math.floor(Date.now() / 1000);
      return new Response((await plugin.call('list_jobs', JSON.stringify({ now })))?.bytes());
    } catch (error) {
      const { code, message } = JSON.parse(String(error).replace(/^.*?(?={)/s, '')) as {
        code: string;
        message: string;
      };
      return new Response(`${code}: ${message}`, { status: 502 });
    }
  },
} satisfies ExportedHandler<Partial<Record<string, string>>>;
