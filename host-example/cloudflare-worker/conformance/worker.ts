// The part of the host adapter that runs in workerd: Extism's JavaScript SDK as it is, its instances kept
// for the life of the isolate, and the driver. It answers one request of the protocol for each HTTP request.

import { createPlugin, type Plugin } from 'extism';
import wasm from '../../../dist/rostering-nowasi.wasm'; // host.js puts another in its place
import { drive } from '../../node/rostering/drive.js';
import { send } from '../../node/rostering/send.js';
import { Turns } from '../src/turns.js';

interface Request {
  op: string;
  instance: string;
  config?: Record<string, string>;
  allowed_hosts?: string[];
  export: string;
  input?: string;
}

interface Answer {
  output?: string;
  error?: string;
  trap?: string;
  logs?: Line[];
}

interface Line {
  level: string;
  line: string;
}

const instances = new Map<string, { plugin: Plugin; logs: Line[] }>();

export default {
  async fetch(request): Promise<Response> {
    return Response.json(await handle(await request.json()).catch(failure));
  },
} satisfies ExportedHandler;

async function handle(request: Request): Promise<Answer> {
  switch (request.op) {
    case 'create':
      return create(request);
    case 'call':
      return call(request);
    case 'drive':
      return driven(request);
    case 'close':
      await named(request.instance).plugin.close();
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

async function create({ instance, config = {}, allowed_hosts = [] }: Request): Promise<Answer> {
  const logs: Line[] = [];
  const at = (level: string) => (line: string) => void logs.push({ level, line });
  const logger = { ...console, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const options = { config, allowedHosts: allowed_hosts, logger, logLevel: 'debug' } as const;
  const plugin = await createPlugin({ wasm: [{ module: wasm }] }, options);
  instances.set(instance, { plugin, logs });
  return {};
}

async function call({ instance, export: name, input = '' }: Request): Promise<Answer> {
  const { plugin, logs } = named(instance);
  logs.length = 0;
  const outcome = await plugin
    .call(name, Uint8Array.fromBase64(input))
    .then((output) => success(output?.bytes()), failure);
  return { ...outcome, logs };
}

async function driven({ instance, export: name, input = '' }: Request): Promise<Answer> {
  const { plugin, logs } = named(instance);
  logs.length = 0;
  const parts: Parameters<typeof drive>[0] = {
    plugin,
    turns: new Turns(20_000, 20_000),
    send: (request) => send(fetch, request),
    now: () => undefined, // the input has the time
  };
  const text = new TextDecoder().decode(Uint8Array.fromBase64(input)).trim();
  const fields = JSON.parse(text || '{}') as Record<string, unknown>;
  const outcome = await drive(parts, name, fields).then(success, failure);
  return { ...outcome, logs };
}

function success(output: Uint8Array = new Uint8Array()): Answer {
  return { output: output.toBase64() };
}

const fromPlugin = 'Plugin-originated error: ';

function failure({ message }: Error): Answer {
  return message.startsWith(fromPlugin) ? { error: message.slice(fromPlugin.length) } : { trap: message };
}
