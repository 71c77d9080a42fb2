// Processes are clients here, each with a plugin of its own.

import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { inspect } from 'node:util';
import { cacheKey } from '../rostering/cache-key.js';
import { Fleet } from '../rostering/fleet.js';
import { Rostering } from '../rostering/index.js';
import { MemoryStore } from './memory-store.js';
import { answer, decode, forms, jobs, secret, Service, start, wasm } from './service.js';

/** @typedef {import('node:test').TestContext} TestContext */
/** @typedef {import('../rostering/index.js').Config} Config */

const bound = { timeout: 60_000 };
const hour = 3_600_000;

for (const [name, changes] of Object.entries({
  'of stage': {},
  'of production': { environment: 'production' },
  'of a scope': { environment: undefined, scope: 'own scope/2' },
  'of a scope and stage': { scope: 'own' },
  'of an address with slashes': { path: '//' },
  'of an address with a path': { path: '/a%20b/c~d/' },
  'of a client id that is escaped': { clientId: "a b/ü&~*'()!-._:+%" },
})) {
  test(`the key ${name} is that of its tokens`, bound, async (t) => {
    const { service } = await start(t);
    service.jobs = answer(200, '{"access_token":"token","token_type":"Bearer"}'); // also at other paths
    const { path = '', ...rest } = /** @type {Partial<Config> & {path?: string}} */ (changes);
    const config = { ...service.config, ...rest, authUrl: service.config.authUrl + path };
    const client = await Rostering.openDriver(await wasm(), config);
    t.after(() => client.close());
    assert.equal(cacheKey(config), (await client.getToken()).cacheKey);
  });
}

test('a long key is whole', bound, async (t) => {
  const { service, client } = await start(t, { clientId: 'x'.repeat(600) });
  const key = cacheKey({ ...service.config, clientId: 'x'.repeat(600) });
  const cut = (await client.getToken()).cacheKey;
  assert.equal(cut.length, 512);
  assert.equal(cut.slice(0, 400), key.slice(0, 400));
  assert.ok(key.length > 600);
});

for (const form of forms) {
  test(`${form}: one token for all`, bound, async (t) => {
    const { service, store, open } = await begin(t, form);
    const fleets = [await open(), await open(), await open()];
    await wantJobs(...fleets, ...fleets);
    assert.equal(service.tokenRequests.length, 1);
    const tokens = await Promise.all(fleets.map((fleet) => fleet.getToken()));
    assert.deepEqual(new Set(tokens.map((token) => token.accessToken)), new Set(['token-1']));
    assert.deepEqual(stored(store, service.config), tokens[0]?.toObject());
  });

  test(`${form}: all at once`, bound, async (t) => {
    const { service, open } = await begin(t, form);
    const fleets = [await open(), await open()];
    await Promise.all(Array.from({ length: 20 }, (_, i) => wantJobs(/** @type {Fleet} */ (fleets[i % 2]))));
    assert.equal(service.tokenRequests.length, 1);
  });

  test(`${form}: a revoked token`, bound, async (t) => {
    const { service, store, open } = await begin(t, form);
    const [fleet, later] = [await open(), await open()];
    await wantJobs(fleet);
    refuse(service, 'token-1', answer(200, jobs));
    await wantJobs(fleet);
    assert.equal(stored(store, service.config).access_token, 'token-2');
    await wantJobs(later);
    assert.equal(service.tokenRequests.length, 2);
  });

  test(`${form}: a renewal`, bound, async (t) => {
    const { service, store, open } = await begin(t, form);
    const fleets = [await open(), await open()];
    await wantJobs(...fleets);
    t.mock.method(Date, 'now', later());
    await wantJobs(...fleets);
    assert.equal(service.tokenRequests.length, 2);
    assert.equal(stored(store, service.config).access_token, 'token-2');
    assert.equal(service.jobRequests.at(-1)?.authorization, 'Bearer token-2');
  });
}

test('many calls with a revoked token hand the new one on once', bound, async (t) => {
  const { service, store, open } = await begin(t);
  const fleet = await open();
  await wantJobs(fleet);
  const { used } = store;
  refuse(service, 'token-1', answer(200, jobs));
  await Promise.all(Array.from({ length: 20 }, () => wantJobs(fleet)));
  assert.equal(service.tokenRequests.length, 2);
  assert.equal(store.used, used + 1);
});

test('the plugin does not renew before its time', bound, async (t) => {
  const { service, store } = await begin(t);
  /** @type {unknown[]} */
  const margins = [];
  const openClient = async (/** @type {Config} */ config) => {
    margins.push(config.refreshMargin);
    return Rostering.openDriver(await wasm(), config);
  };
  const fleet = await Fleet.open(openClient, { ...service.config, refreshMargin: 30 }, store);
  await fleet.close();
  assert.deepEqual(margins, [0]);
});

test('other clients have other tokens', bound, async (t) => {
  const { service, store, open } = await begin(t);
  await wantJobs(await open(), await open({ scope: 'other' }));
  assert.equal(service.tokenRequests.length, 2);
  assert.equal(store.values.size, 2);
});

test('the store is left alone while the token is good', bound, async (t) => {
  const { store, open } = await begin(t);
  const fleet = await open();
  await wantJobs(fleet);
  const { used } = store;
  await wantJobs(fleet, fleet);
  assert.equal(decode(await fleet.sendRequest('/other', { method: 'POST', body: '{}' })), jobs);
  assert.equal(store.used, used);
});

test('a revoked token, and an error after it', bound, async (t) => {
  const { service, store, open } = await begin(t);
  const fleet = await open();
  await wantJobs(fleet);
  refuse(service, 'token-1', answer(503, 'busy'));
  await assert.rejects(fleet.listJobs(), { code: 'service_error' });
  assert.equal(stored(store, service.config).access_token, 'token-2');
});

test('a token that comes just before the lock', bound, async (t) => {
  const { service, store, open } = await begin(t);
  const [one, other] = [await open(), await open()];
  store.beforeLock = async () => {
    store.beforeLock = async () => {};
    await wantJobs(one);
  };
  await wantJobs(other);
  assert.equal(service.tokenRequests.length, 1);
});

test('it waits for the token that another process asks for', bound, async (t) => {
  const { service, store, open } = await begin(t);
  store.locked = true;
  const fleet = await open();
  const call = wantJobs(fleet);
  const other = await Rostering.open(await wasm(), service.config);
  t.after(() => other.close());
  const token = await other.getToken();
  store.values.set(cacheKey(service.config), JSON.stringify(token.toObject()));
  await call;
  assert.equal(service.tokenRequests.length, 1);
});

test('it asks when the lock has ended without a token', bound, async (t) => {
  const { service, store, open } = await begin(t);
  store.locked = true;
  const call = wantJobs(await open());
  await setTimeout(50);
  assert.equal(service.tokenRequests.length, 0);
  store.locked = false;
  await call;
  assert.equal(service.tokenRequests.length, 1);
  assert.equal(stored(store, service.config).access_token, 'token-1');
});

test('it does not wait for ever', bound, async (t) => {
  const { service, store, open } = await begin(t);
  store.locked = true;
  await wantJobs(await open({}, { lockMs: 100 }));
  assert.equal(service.tokenRequests.length, 1);
  assert.equal(stored(store, service.config).access_token, 'token-1');
});

test('an old token will do while another process asks', bound, async (t) => {
  const { service, store, open } = await begin(t);
  const fleet = await open();
  await wantJobs(fleet);
  t.mock.method(Date, 'now', later());
  store.locked = true;
  await wantJobs(fleet);
  const { used } = store;
  await wantJobs(fleet);
  assert.equal(store.used, used);
  assert.equal(service.tokenRequests.length, 1);
});

test('other calls go on with the old token while one waits for the store', bound, async (t) => {
  const { service, store, open } = await begin(t);
  const fleet = await open();
  await wantJobs(fleet);
  t.mock.method(Date, 'now', later());
  const events = new EventEmitter();
  store.beforeLock = async () => {
    events.emit('slow');
    await once(events, 'answer');
  };
  const slow = once(events, 'slow');
  const first = wantJobs(fleet);
  await slow;
  await wantJobs(fleet);
  assert.equal(service.tokenRequests.length, 1);
  events.emit('answer');
  await first;
  assert.equal(service.tokenRequests.length, 2);
});

test('a signal ends the wait of one call', bound, async (t) => {
  const { service, store, open } = await begin(t);
  store.locked = true;
  const fleet = await open({}, { lockMs: 60_000 });
  await assert.rejects(fleet.listJobs({ signal: AbortSignal.abort() }), { name: 'AbortError' });
  assert.equal(store.used, 0);
  const controller = new AbortController();
  const aborted = fleet.listJobs({ signal: controller.signal });
  const other = wantJobs(fleet);
  controller.abort(new Error('enough'));
  await assert.rejects(aborted, { message: 'enough' });
  await assert.rejects(fleet.listJobs({ signal: controller.signal }), { message: 'enough' });
  store.locked = false;
  await other;
  assert.deepEqual([service.tokenRequests.length, service.jobRequests.length], [1, 1]);
});

test('a store that is down', bound, async (t) => {
  const { service, store, open } = await begin(t);
  store.down = true;
  const fleets = [await open(), await open()];
  await wantJobs(...fleets, ...fleets);
  assert.equal(service.tokenRequests.length, 2);
  t.mock.method(Date, 'now', later());
  await wantJobs(...fleets, ...fleets);
  assert.equal(service.tokenRequests.length, 4);
});

test('a token that was replaced while the store was down', bound, async (t) => {
  const { service, store, open } = await begin(t);
  const fleet = await open();
  await wantJobs(fleet);
  refuse(service, 'token-1', answer(200, jobs));
  store.down = true;
  await wantJobs(fleet);
  assert.deepEqual([service.tokenRequests.length, service.jobRequests.length], [2, 3]);
  store.down = false;
  t.mock.method(Date, 'now', later());
  await wantJobs(fleet); // not with token-1, which is still in the store
  assert.deepEqual([service.tokenRequests.length, service.jobRequests.length], [3, 4]);
  assert.equal(stored(store, service.config).access_token, 'token-3');
});

test('a store that breaks while the token is asked for', bound, async (t) => {
  const { service, store, open } = await begin(t);
  const good = service.token;
  service.token = (response) => {
    store.down = true;
    good(response);
  };
  const fleet = await open();
  await wantJobs(fleet, fleet);
  assert.equal(service.tokenRequests.length, 1);
});

test('what the store holds is not trusted', bound, async (t) => {
  const { service, store, open } = await begin(t);
  const first = await open();
  const token = (await first.getToken()).toObject();
  const poison = [
    '\ufffd\0',
    'null',
    '[]',
    '7',
    '{}',
    '['.repeat(100_000),
    ...[
      { access_token: '' },
      { access_token: 'line\r\nbreak' },
      { access_token: ['poison'] },
      { access_token: '\ud800' },
      { token_type: 'poison' },
      { expires_at: 1_700_000_000 },
      { expires_at: 1e300 },
      { expires_at: -1 },
      { expires_at: 'poison' },
      { expires_at: null },
      { cache_key: 'poison' },
    ].map((changes) => JSON.stringify({ ...token, ...changes })),
  ];
  for (const [i, text] of poison.entries()) {
    store.values.set(cacheKey(service.config), text);
    await wantJobs(await open());
    assert.equal(service.tokenRequests.length, i + 2, text.slice(0, 100));
    assert.equal(stored(store, service.config).access_token, `token-${i + 2}`);
  }
});

test('a token in the store that the service does not know', bound, async (t) => {
  const { service, store, open } = await begin(t);
  const token = (await (await open()).getToken()).toObject();
  const poison = { ...token, access_token: 'poison', expires_at: token.expires_at + 1e9 };
  store.values.set(cacheKey(service.config), JSON.stringify(poison));
  refuse(service, 'poison', answer(200, jobs));
  await wantJobs(await open(), await open());
  assert.equal(service.tokenRequests.length, 2);
  assert.equal(stored(store, service.config).access_token, 'token-2');
});

test('a renewal that fails', bound, async (t) => {
  const { service, store, open } = await begin(t);
  const fleet = await open();
  await wantJobs(fleet);
  t.mock.method(Date, 'now', later());
  service.token = answer(503, '{"error":"unavailable"}');
  await wantJobs(fleet);
  const { used } = store;
  await wantJobs(fleet);
  assert.equal(store.used, used);
  assert.equal(service.tokenRequests.length, 2);
  assert.equal(store.locked, false);
});

test('no token at all', bound, async (t) => {
  const { store, open } = await begin(t);
  for (const down of [false, true]) {
    store.down = down;
    const wrong = await open({ clientSecret: 'wrong' });
    await assert.rejects(wrong.listJobs(), { code: 'token_endpoint_rejected' });
    await assert.rejects((await open({ environment: 'test' })).listJobs(), { code: 'config_invalid' });
    await assert.rejects((await open({ clientId: '' })).getToken(), { code: 'config_missing' });
    assert.equal(store.locked, false);
  }
});

test('calls that end after close', bound, async (t) => {
  const { open } = await begin(t);
  const fleet = await open();
  await wantJobs(fleet);
  const call = wantJobs(fleet);
  await setTimeout(0);
  await fleet.close();
  await call;
  await assert.rejects(fleet.listJobs(), { message: 'the client is closed' });
});

test('neither secret nor token shows', bound, async (t) => {
  const { open } = await begin(t);
  const fleet = await open();
  const { accessToken } = await fleet.getToken();
  for (const text of [String(fleet), JSON.stringify(fleet), inspect(fleet, { depth: 9, showHidden: true })]) {
    assert.ok(!text.includes(secret) && !text.includes(accessToken), text);
  }
});

/**
 * A service, a store, and a function that opens a fleet; all end with the test.
 *
 * @param {TestContext} t
 * @param {import('./service.js').Form} form
 */
async function begin(t, form = 'openDriver') {
  const service = new Service();
  await service.listen();
  t.after(() => service.close());
  const store = new MemoryStore();
  const module = await WebAssembly.compile(await wasm());
  const open = async (/** @type {Partial<Config>} */ changes = {}, options = { lockMs: 20_000 }) => {
    const openClient = (/** @type {Config} */ config) => Rostering[form](module, config);
    const fleet = await Fleet.open(openClient, { ...service.config, ...changes }, store, options);
    t.after(() => fleet.close());
    return fleet;
  };
  return { service, store, open };
}

/** @param {Fleet[]} fleets */
async function wantJobs(...fleets) {
  for (const fleet of fleets) assert.equal(decode(await fleet.listJobs()), jobs);
}

/**
 * @param {MemoryStore} store
 * @param {Config} config
 */
const stored = (store, config) => JSON.parse(store.values.get(cacheKey(config)) ?? '');

/**
 * @param {Service} service
 * @param {string} token is answered with 401
 * @param {import('./service.js').Answer} others
 */
function refuse(service, token, others) {
  service.jobs = (response) => {
    const refused = response.req.headers.authorization === `Bearer ${token}`;
    (refused ? answer(401, '') : others)(response);
  };
}

/** A clock half a minute before the tokens of now expire. */
function later() {
  const at = Date.now() + hour - 30_000;
  const begun = performance.now();
  return () => at + performance.now() - begun;
}
