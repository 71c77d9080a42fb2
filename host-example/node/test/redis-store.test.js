import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import { Fleet } from '../rostering/fleet.js';
import { Rostering, RosteringError } from '../rostering/index.js';
import { RedisStore } from '../rostering/redis-store.js';
import { escaped, freePort, password, startRedis, startStub } from './redis-server.js';
import { decode, jobs, start, wasm } from './service.js';

/** @typedef {import('../rostering/store.js').Slot} Slot */

const bound = { timeout: 60_000 };
const long = 20_000; // milliseconds
const key = 'rostering:test';
// Redis quotes the beginning of what it was sent.
const quotes = '-ERR unknown command, with args beginning with: token-1\r\n';
const nothing = async () => {};

test('put and get', bound, async (t) => {
  const url = await startRedis(t);
  if (!url) return;
  const done = await new RedisStore(url, { timeoutMs: long }).use(key, async (slot) => {
    assert.equal(await slot.get(), '');
    await slot.put('täxt', long);
    assert.equal(await slot.get(), 'täxt');
    await slot.put('x'.repeat(300_000), long);
    assert.ok((await slot.get()).length < 140_000);
    await slot.put('text', 0.1);
    while (await slot.get()) await setTimeout(10);
  });
  assert.equal(done, true);
});

test('a lock', bound, async (t) => {
  await withTwo(t, async (slot, other) => {
    const taken = await slot.locked(long, async () => {
      assert.equal(await other.locked(long, nothing), false);
    });
    assert.equal(taken, true);
    assert.equal(await other.locked(long, nothing), true);
  });
});

test('a lock ends with what fails in it', bound, async (t) => {
  await withTwo(t, async (slot, other) => {
    await assert.rejects(
      slot.locked(long, () => Promise.reject(new Error('in it'))),
      { message: 'in it' },
    );
    assert.equal(await other.locked(long, nothing), true);
  });
});

test('a lock that has ended by itself does not end that of another', bound, async (t) => {
  await withTwo(t, async (slot, other) => {
    const events = new EventEmitter();
    const hold = async () => {
      events.emit('locked');
      await once(events, 'end');
    };
    const lock = async () => {
      while (!(await other.locked(long, hold))) await setTimeout(10);
    };
    /** @type {Promise<void> | undefined} */
    let others;
    await slot.locked(50, async () => {
      others = lock();
      await once(events, 'locked');
    });
    assert.equal(await slot.locked(long, nothing), false);
    events.emit('end');
    await others;
    assert.equal(await slot.locked(long, nothing), true);
  });
});

test('other keys and other users', bound, async (t) => {
  const url = await startRedis(t);
  if (!url) return;
  assert.match(await down(url, 'other:key'), /: NOPERM$/);
  assert.match(await down(url.replace(escaped, 'other')), /: WRONGPASS$/);
  assert.match(await down(url.replace(`rostering:${escaped}@`, '')), /: NOAUTH$/);
});

test('no Redis', bound, async () => {
  assert.match(await down(`redis://127.0.0.1:${await freePort()}`), /: ECONNREFUSED$/);
});

test('a Redis that is silent', bound, async (t) => {
  const { url } = await startStub(t);
  assert.match(await down(url, key, { timeoutMs: 100 }), /: no answer within 100 ms$/);
});

test('something else than Redis', bound, async (t) => {
  const { url } = await startStub(t, 'HTTP/1.1 400\r\n');
  assert.match(await down(url, key, { timeoutMs: 100 }), /^Redis is not used for 5000 ms: /);
});

test('an error that quotes', bound, async (t) => {
  const { url } = await startStub(t, quotes);
  assert.equal(await down(url), 'Redis is not used for 5000 ms: ERR');
});

test('it rests after a failure', bound, async (t) => {
  const stub = await startStub(t, quotes);
  const use = (/** @type {RedisStore} */ store) => store.use(key, async (slot) => void (await slot.get()));
  const store = new RedisStore(stub.url);
  for (let i = 0; i < 3; i++) assert.equal(await use(store), false);
  assert.equal(stub.connections, 1);
  const eager = new RedisStore(stub.url, { restMs: 0 });
  for (let i = 0; i < 2; i++) assert.equal(await use(eager), false);
  assert.equal(stub.connections, 3);
});

test('no connection is kept', bound, async (t) => {
  const stub = await startStub(t, '$-1\r\n');
  assert.equal(await new RedisStore(stub.url).use(key, async (slot) => void (await slot.get())), true);
  assert.equal(stub.connections, 1);
  while (stub.open > 0) await setTimeout(10, undefined, { signal: t.signal });
});

test('a fleet goes on', bound, async (t) => {
  const { service } = await start(t);
  const module = await WebAssembly.compile(await wasm());
  const { url } = await startStub(t, quotes);
  const fleet = await Fleet.open((c) => Rostering.openDriver(module, c), service.config, new RedisStore(url));
  t.after(() => fleet.close());
  for (let i = 0; i < 2; i++) assert.equal(decode(await fleet.listJobs()), jobs);
  assert.equal(service.tokenRequests.length, 1);
});

test('an error of the work is not that of the store', bound, async (t) => {
  const { url } = await startStub(t, '$-1\r\n');
  const error = new RosteringError({ code: 'config_missing', message: 'not Redis' });
  await assert.rejects(
    new RedisStore(url).use(key, () => Promise.reject(error)),
    error,
  );
});

test('an address that cannot be read', () => {
  for (const url of ['', 'localhost:6379', 'http://host', 'redis://user:secr/et@host:1', 'redis://h/secret']) {
    assert.throws(
      () => new RedisStore(url),
      (error) => !inspect(error).includes('secr'),
      url,
    );
  }
});

/**
 * Two connections for the same key.
 *
 * @param {import('node:test').TestContext} t
 * @param {(slot: Slot, other: Slot) => Promise<void>} work
 */
async function withTwo(t, work) {
  const url = await startRedis(t);
  if (!url) return;
  const store = new RedisStore(url, { timeoutMs: long });
  const done = store.use(key, async (slot) => {
    assert.equal(await store.use(key, (other) => work(slot, other)), true);
  });
  assert.equal(await done, true);
}

/**
 * What is logged when Redis cannot be used.
 *
 * @param {string} url
 * @param {import('../rostering/redis-store.js').RedisOptions} [options]
 */
async function down(url, name = key, options = {}) {
  /** @type {string[]} */
  const lines = [];
  const store = new RedisStore(url, { timeoutMs: long, ...options, log: (_, line) => lines.push(line) });
  assert.equal(await store.use(name, async (slot) => void (await slot.get())), false);
  const [line = '', ...others] = lines;
  assert.deepEqual(others, []);
  assert.ok(!inspect(store, { depth: 9, showHidden: true }).includes(password));
  return line;
}
