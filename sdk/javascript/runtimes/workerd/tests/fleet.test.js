import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const fleet = fileURLToPath(new URL('../../../../../host-example/workerd/fleet.js', import.meta.url));

test('isolates that share a token', { timeout: 300_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [fleet], { timeout: 290_000 });
  const rows = Array.from(stdout.trimEnd().split('\n'), (line) => line.split(/ {2,}/));
  const atOnce = Number(rows[2]?.[2]);
  assert.ok(atOnce >= 1 && atOnce <= 6, stdout); // KV has no atomic add
  assert.deepEqual(rows, [
    ['6 isolates', 'Durable Object', 'KV', 'no store'],
    ['one starts after the other', '1', '1', '6'],
    ['all start at once', '1', `${atOnce}`, '6'],
    ['the token is revoked', '2', '2', '12'],
    ['tokens of 64 s, renewed', '2', '2', '12'],
    ['tokens of 50 s', '1', '6', '6'],
  ]);
});
