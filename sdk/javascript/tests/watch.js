// A program of docs/operations.md, whose test is in node.test.js.

/** @typedef {import('automatic-rostering').Client} Client */

// snippet
import { Counter, Gauge, register } from 'prom-client';

/** Has Prometheus read the status of a client. @param {Client} client */
export function watch(client, registers = [register]) {
  for (const name of ['calls', 'service_requests', 'token_requests', 'failed_token_requests', 'store_failures']) {
    new Counter({
      ...{ name: `rostering_${name}_total`, help: name.replaceAll('_', ' '), registers },
      collect() {
        this.reset();
        this.inc(client.status().toJSON()[name]);
      },
    });
  }
  new Counter({
    ...{ name: 'rostering_failed_calls_total', help: 'failed calls', labelNames: ['code'], registers },
    collect() {
      this.reset();
      for (const [code, number] of Object.entries(client.status().failedCalls)) this.inc({ code }, number);
    },
  });
  new Gauge({
    ...{ name: 'rostering_token_expires_at_seconds', help: 'Unix time, 0 without a token', registers },
    collect() {
      this.set(Number(client.status().tokenExpiresAt ?? 0) / 1000);
    },
  });
}
// end of snippet
