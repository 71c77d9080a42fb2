// Direct calls: the SDK alone, without the client library. The plugin sends the requests through the SDK, and has no clock.
// With the argument `call`, run.js sends it the lines of its standard input, and it calls exports as they say.

import wasm from 'automatic-rostering/rostering-nowasi.wasm';
import { createPlugin, type Plugin } from 'extism';

export default {
  async fetch(request, env): Promise<Response> {
    if (request.method === 'POST') return Response.json(await serve(await request.json()));
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

interface Request {
  op: 'create' | 'call' | 'close';
  instance: string;
  config?: Record<string, string>;
  allowed_hosts?: string[];
  export: string;
  input?: string;
}

const plugins = new Map<string, Plugin>();
let logs: { level: string; line: string }[] = [];

/** Carries out a request. The instances live as long as the isolate. */
async function serve({ op, instance, config = {}, allowed_hosts = [], ...request }: Request): Promise<object> {
  logs = [];
  try {
    let output: Uint8Array | undefined;
    if (op === 'create') {
      const at = (level: string) => (line: string) => void logs.push({ level, line });
      const logger = { ...console, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
      const options = { config, allowedHosts: allowed_hosts, logger, logLevel: 'debug' } as const;
      plugins.set(instance, await createPlugin({ wasm: [{ module: wasm as WebAssembly.Module }] }, options));
    } else if (op === 'call') {
      const input = Uint8Array.fromBase64(request.input ?? '');
      output = (await plugins.get(instance)?.call(request.export, input))?.bytes();
    } else if (op === 'close') {
      await plugins.get(instance)?.close();
      plugins.delete(instance);
    } else {
      throw new Error(`no operation ${op as string}`);
    }
    return { output: output?.toBase64(), logs };
  } catch (thrown) {
    const { message } = thrown as Error;
    const [, error] = message.split('Plugin-originated error: ');
    return { ...(error ? { error } : { trap: message }), logs };
  }
}
