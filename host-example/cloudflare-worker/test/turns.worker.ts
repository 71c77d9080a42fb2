// What src/turns.ts does with requests that are cancelled, which src/index.ts does not let happen.

import { Turns } from '../src/turns.js';

interface Env {
  TURN_MS: number;
  WAIT_MS: number;
  /** Where work waits for an answer. */
  SLOW: string;
}

let turns: Turns | undefined;
let last = { began: 0, ended: true };

export default {
  async fetch(request, env): Promise<Response> {
    turns ??= new Turns(env.TURN_MS, env.WAIT_MS);
    const slow = new URL(request.url).pathname === '/slow';
    try {
      return await turns.take(async () => {
        const before = last;
        const mine = { began: Date.now(), ended: false };
        last = mine;
        const early = mine.began < before.began + env.TURN_MS;
        const what = before.ended ? 'done' : early ? 'two at once' : 'after one that never ended';
        if (slow) await (await fetch(env.SLOW)).text();
        mine.ended = true;
        return new Response(what);
      });
    } catch (error) {
      return new Response((error as Error).name);
    }
  },
} satisfies ExportedHandler<Env>;
