// The part of the host adapter that runs in workerd: Extism's JavaScript SDK, and the library. Its instances live as long as
// the isolate. Each operation of the protocol is one request.

import { createPlugin } from 'extism';
import { httpStore } from './http-store.js';
import { Calls, type CallOptions } from '../../../../sdk/javascript/src/calls.js';
import { RosteringError } from '../../../../sdk/javascript/src/index.js';
import inside from 'automatic-rostering/rostering-nowasi.wasm'; // workerd.js replaces the file

interface Request {
  op: string;
  instance: string;
  config?: Record<string, string>;
  allowed_hosts?: string[];
  client?: boolean;
  store?: string;
  export: string;
  input?: string;
  body?: string;
  timeout_ms?: number;
}

interface Reply {
  output?: string;
  status?: number;
  error?: string;
  trap?: string;
  logs?: Line[];
}

interface Line {
  level: string;
  line: string;
}

interface Instance {
  call: (name: string, input: Uint8Array) => Promise<Uint8Array | undefined>;
  close: () => Promise<void>;
  calls?: Calls;
  time?: { now: number };
  logs: Line[];
}

type Context = Pick<CallOptions, 'signal' | 'waitUntil'>;

const wasm = inside as WebAssembly.Module;

const instances = new Map<string, Instance>();

export default {
  async fetch(request, _env, context): Promise<Response> {
    const { signal } = request;
    const waitUntil = (section: Promise<unknown>) => context.waitUntil(section);
    return Response.json(await handle(await request.json(), { signal, waitUntil }).catch(failure));
  },
} satisfies ExportedHandler;

async function handle(request: Request, context: Context): Promise<Reply> {
  switch (request.op) {
    case 'create':
      instances.set(request.instance, await create(request));
      return {};
    case 'call':
      return logged(request, ({ call }) => call(request.export, decode(request.input)).then(success, failure));
    case 'drive':
      return logged(request, (instance) => drive(instance, request, context).catch(failure));
    case 'close':
      await named(request.instance).close();
      instances.delete(request.instance);
      return {};
  }
  throw new Error(`no operation ${request.op}`);
}

function named(name: string) {
  const instance = instances.get(name);
  if (!instance) throw new Error(`no instance ${name}`);
  return instance;
}

async function create({ config = {}, allowed_hosts = [], client, store }: Request): Promise<Instance> {
  const logs: Line[] = [];
  const at = (level: string) => (line: string) => void logs.push({ level, line });
  const logger = { ...console, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  if (client) {
    const time = { now: 0 };
    const clock = () => time.now * 1000;
    const options = { clock, plugin: wasm, logger, ...(store && { store: httpStore(store) }) };
    const calls = await Calls.open(config, options);
    return { calls, time, logs, call: async (name, input) => calls.call(name, input), close: () => calls.close() };
  }
  const options = { config, allowedHosts: allowed_hosts, logger, logLevel: 'debug' } as const;
  const plugin = await createPlugin({ wasm: [{ module: wasm }] }, options);
  return { logs, call: async (name, input) => (await plugin.call(name, input))?.bytes(), close: () => plugin.close() };
}

async function logged({ instance: name }: Request, work: (instance: Instance) => Promise<Reply>): Promise<Reply> {
  const instance = named(name);
  instance.logs.length = 0;
  return { ...(await work(instance)), logs: instance.logs.slice() };
}

async function drive({ calls, time }: Instance, request: Request, context: Context): Promise<Reply> {
  if (!calls) throw new Error('the instance is no client');
  const { now, ...input } = JSON.parse(new TextDecoder().decode(decode(request.input)).trim() || '{}');
  if (time) time.now = now;
  const body = request.body === undefined ? undefined : decode(request.body);
  const options = { ...context, body, timeoutMs: request.timeout_ms };
  const { output, response } = await calls.make(request.export, input, options);
  if (output) return success(new TextEncoder().encode(JSON.stringify(output)));
  return { ...success(response?.body), status: response?.status ?? 0 };
}

const decode = (text = '') => Uint8Array.fromBase64(text);

const success = (output: Uint8Array = new Uint8Array()): Reply => ({ output: output.toBase64() });

const fromPlugin = 'Plugin-originated error: ';

function failure(error: Error): Reply {
  if (error instanceof RosteringError) return { error: JSON.stringify(error.toJSON()) };
  const { message } = error;
  return message.startsWith(fromPlugin) ? { error: message.slice(fromPlugin.length) } : { trap: message };
}
