// What src/turns.ts does with requests that are cancelled, which src/index.ts does not let happen.

import { Turns } from '../src/turns.js';

interface Env {
  TURN_MS: number;
  WAIT_MS: number;
  /** Where work waits for an answer. */
  SLOW: string;
}

let turns: Turns | undefined;

export default {
  async fetch(request, env): Promise<Response> {
    turns ??= new Turns(env.TURN_MS, env.WAIT_MS);
    const slow = new URL(request.url).pathname === '/slow';
    try {
      return await turns.take(async (broken) => {
        if (slow) await (await fetch(env.SLOW)).text();
        return new Response(broken ? 'after one that never ended' : 'done');
      });
    } catch (error) {
      return new Response((error as Error).name);
    }
  },
} satisfies ExportedHandler<Env>;
