import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const fleet = fileURLToPath(new URL('../fleet.js', import.meta.url));

test('isolates that share a token', { timeout: 180_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [fleet], { timeout: 170_000 });
  const rows = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  const atOnce = Number(rows[2]?.[2]);
  assert.ok(atOnce >= 1 && atOnce <= 6, stdout);
  assert.deepEqual(rows, [
    ['6 isolates', 'calls', 'token requests', 'without KV'],
    ['one starts after the other', '18', '1', '6'],
    ['all start at once', '18', `${atOnce}`, '6'],
    ['tokens of 64 s, renewed', '36', '2', '12'],
    ['tokens of 50 s: too short for KV', '18', '6', '6'],
    ['KV fails', '18', '6', '6'],
    ['KV does not answer', '18', '6', '6'],
  ]);
});
