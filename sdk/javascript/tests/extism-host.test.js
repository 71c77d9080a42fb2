// What the host refuses: modules made by hand call its functions with arguments that the plugin never uses.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instantiate, PluginError } from '../src/extism-host.js';

/** @typedef {number[]} Code */

const i32 = 0x7f;
const i64 = 0x7e;

/** The functions, with the types of their parameters and results. @type {Record<string, [Code, Code]>} */
const functions = {
  alloc: [[i64], [i64]],
  length: [[i64], [i64]],
  load_u8: [[i64], [i32]],
  load_u64: [[i64], [i64]],
  store_u8: [[i64, i32], []],
  store_u64: [[i64, i64], []],
  input_load_u8: [[i64], [i32]],
  input_load_u64: [[i64], [i64]],
  output_set: [[i64, i64], []],
  error_set: [[i64], []],
  var_get: [[i64], [i64]],
  var_set: [[i64, i64], []],
  config_get: [[i64], [i64]],
  log_warn: [[i64], []],
  http_request: [[i64, i64], [i64]],
};

/** @param {bigint} n @returns {Code} in LEB128 */
const signed = (n) => (n >= -64n && n < 64n ? [Number(n & 0x7fn)] : [Number(n & 0x7fn) | 0x80, ...signed(n >> 7n)]);
/** @param {Code} code */
const sized = (code) => [...signed(BigInt(code.length)), ...code];

/** Makes a module whose export `run` runs code and returns 0, and whose export `fails` returns 1. @param {Code} code */
function assemble(code, names = Object.keys(functions)) {
  const string = (/** @type {string} */ text) => sized([...Buffer.from(text)]);
  const list = (/** @type {Code[]} */ items) => [items.length, ...items.flat()];
  const section = (/** @type {number} */ id, /** @type {Code[]} */ items) => [id, ...sized(list(items))];
  const own = ['run', 'fails'].map((name, i) => ({ name, at: names.length + i }));
  const body = (/** @type {Code} */ content) => sized([0, ...content, 0x0b]);
  const types = [...names.map((name) => functions[name] ?? [[], []]), ...own.map(() => [[], [i32]])];
  const signatures = types.map(([from = [], to = []]) => [0x60, ...sized(from), ...sized(to)]);
  const imports = names.map((name, i) => [...string('extism:host/env'), ...string(name), 0, i]);
  const exports = own.map(({ name, at }) => [...string(name), 0, at]);
  return new WebAssembly.Module(
    new Uint8Array([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...[
        ...section(1, signatures),
        ...section(2, imports),
        ...section(
          3,
          own.map(({ at }) => [at]),
        ),
      ],
      ...[...section(5, [[0, 1]]), ...section(7, [[...string('memory'), 2, 0], ...exports])],
      ...section(10, [body([...code, 0x41, 0]), body([0x41, 1])]),
    ]),
  );
}

const number = (/** @type {bigint | number} */ n) => [0x42, ...signed(BigInt(n))];
const byte = [0x41, 1];
const drop = [0x1a];
const add = 0x7c;
const call = (/** @type {string} */ name) => [0x10, Object.keys(functions).indexOf(name)];
/** The offset of a position in a new block of 8 bytes. */
const inBlock = (/** @type {number} */ at) => [...number(8), ...call('alloc'), ...number(at), add];
const large = [...number(9 * 2 ** 20), ...call('alloc'), ...drop];

/** @type {[string, Code, RegExp][]} */
const cases = [
  ['a read at 0', [...number(0), ...call('load_u8'), ...drop], /no block is at 0/],
  ['a read from no block', [...number(7n << 32n), ...call('load_u64'), ...drop], /no block is at 30064771072/],
  ['a read below 0', [...number(-1), ...call('load_u8'), ...drop], /no block is at -1/],
  ['a byte beyond the end', [...inBlock(8), ...call('load_u8'), ...drop], /[Oo]ut.*bounds|range/],
  ['a word beyond the end', [...inBlock(1), ...call('load_u64'), ...drop], /[Oo]ut.*bounds|range/],
  ['a byte written beyond the end', [...inBlock(8), ...byte, ...call('store_u8')], /[Oo]ut.*bounds|range/],
  ['a word written beyond the end', [...inBlock(1), ...number(1), ...call('store_u64')], /[Oo]ut.*bounds|range/],
  ['a length within a block', [...inBlock(1), ...call('length'), ...drop], /no block begins at/],
  ['a negative length', [...number(-65), ...call('alloc'), ...drop], /blocks of more than/],
  ['a large block', [...number(2n ** 40n), ...call('alloc'), ...drop], /blocks of more than/],
  ['many large blocks', [...large, ...large], /blocks of more than/],
  ['empty blocks without end', [0x03, 0x40, ...number(0), ...call('alloc'), ...drop, 0x0c, 0, 0x0b], /blocks of more/],
  ['a byte beyond the input', [...number(2), ...call('input_load_u8'), ...drop], /[Oo]ut.*bounds|range/],
  ['a word beyond the input', [...number(0), ...call('input_load_u64'), ...drop], /[Oo]ut.*bounds|range/],
  ['output beyond the end', [...inBlock(0), ...number(9), ...call('output_set')], /length|range/],
  ['an error in no block', [...number(1n << 32n), ...call('error_set')], /no block is at/],
  ['a log line in no block', [...number(1n << 32n), ...call('log_warn')], /no block is at/],
  ['a var without a key', [...number(0), ...call('var_get'), ...drop], /no block is at 0/],
  ['large vars', [...inBlock(0), ...number(2 ** 20 + 1), ...call('alloc'), ...call('var_set')], /vars of more than/],
  ['config without a key', [...number(0), ...call('config_get'), ...drop], /no block is at 0/],
  ['a request', [...number(0), ...number(0), ...call('http_request'), ...drop], /only direct calls/],
  ['much memory', [0x41, ...signed(300n), 0x40, 0, ...drop], /memory of more than/],
  ['a trap', [0x00], /unreachable/i],
];
for (const [name, code, message] of cases) {
  test(name, () => {
    const plugin = instantiate(assemble(code), {}, () => {});
    assert.throws(() => plugin('run', '{}'), { message });
    if (name !== 'much memory') assert.throws(() => plugin('fails', ''), { message: 'fails returned 1' }); // it still runs
  });
}

test('an error has the words of the plugin', () => {
  const plugin = instantiate(assemble([...inBlock(0), ...call('error_set'), 0x41, 1, 0x0f]), {}, () => {});
  assert.throws(() => plugin('run', ''), new PluginError('\0'.repeat(8)));
});

test('vars outlive a trap', () => {
  const isMissing = [...inBlock(0), ...call('var_get'), 0x50];
  const set = [...inBlock(0), ...inBlock(0), ...call('var_set')];
  const plugin = instantiate(assemble([...isMissing, 0x04, 0x40, ...set, 0x00, 0x0b]), {}, () => {});
  assert.throws(() => plugin('run', ''), /unreachable/i);
  plugin('run', '');
});

test('an import that the host does not have', () => {
  const message = /it imports get_log_level from extism:host\/env/;
  assert.throws(() => instantiate(assemble([], ['get_log_level']), {}, () => {}), { message });
});
