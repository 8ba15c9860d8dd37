import assert from 'node:assert/strict';
import {test} from 'node:test';
import {ALREADY_EXISTS, INVALID_ARGUMENT, NOT_FOUND, ask, code, names, open, plain} from './fixture.js';

test('an entity is read as it was written until it is deleted', async () => {
  const store = open();
  const key = store.key(['Task', 'a']);
  await store.save({key, data: {title: 'rain', priority: 3}});
  const [got] = await store.get(key);
  assert.deepEqual(plain(got), {title: 'rain', priority: 3});
  await store.delete(key);
  await store.delete(key);
  assert.equal((await store.get(key))[0], undefined);
});

test('many entities at once', async () => {
  const store = open();
  const keys = [1, 2, 3].map(id => store.key(['Task', id]));
  await store.save(keys.slice(0, 2).map((key, n) => ({key, data: {n}})));
  const [found] = await store.get(keys);
  assert.deepEqual(found.map(e => e.n).sort(), [0, 1]);
  await store.delete(keys);
  assert.deepEqual(await ask(store.createQuery('Task')), []);
});

test('every type comes back', async () => {
  const store = open();
  const key = store.key(['Value', 'a']);
  const data = {
    nothing: null,
    yes: true,
    no: false,
    whole: 2 ** 53 - 1,
    fraction: 0.1,
    text: 'naïve ☔ \u{1f327} \0 end',
    empty: '',
    bytes: Buffer.from([0, 1, 127, 128, 255]),
    time: new Date('1815-12-10T01:02:03.456Z'),
    place: store.geoPoint({latitude: 48.2082, longitude: 16.3738}),
    list: [1, 'two', null, true],
    none: [],
    inner: {street: 'Ring', lines: ['a', 'b'], deeper: {n: 1}},
  };
  await store.save({key, data});
  const [got] = await store.get(key);
  got.place = store.geoPoint(got.place);
  assert.deepEqual(plain(got), data);
});

test('integers beyond what a number holds come back whole', async () => {
  const store = open();
  const key = store.key(['Value', 'a']);
  await store.save({key, data: {largest: store.int('9223372036854775807'), smallest: store.int('-9223372036854775808')}});
  const [got] = await store.get(key, {wrapNumbers: true});
  assert.equal(got.largest.value, '9223372036854775807');
  assert.equal(got.smallest.value, '-9223372036854775808');
});

test('every indexable type is found by its value', async () => {
  const store = open();
  const values = {
    nothing: null,
    yes: true,
    whole: 7,
    fraction: 0.1,
    text: '☔',
    bytes: Buffer.from([0, 255]),
    time: new Date('2024-02-29T00:00:00.123Z'),
    key: store.key(['Person', 'ada']),
    place: store.geoPoint({latitude: 1, longitude: 2}),
  };
  await store.save(Object.entries(values).map(([name, v]) => ({key: store.key(['Value', name]), data: {v}})));
  for (const [name, value] of Object.entries(values)) {
    assert.deepEqual(await ask(store.createQuery('Value').filter('v', '=', value)), [name]);
  }
});

test('what is excluded from indexes is kept and not found', async () => {
  const store = open();
  const key = store.key(['Note', 'a']);
  await store.save({key, data: {text: 'x'.repeat(5000), tag: 't'}, excludeFromIndexes: ['text']});
  assert.equal((await store.get(key))[0].text.length, 5000);
  assert.deepEqual(await ask(store.createQuery('Note').filter('text', '>', '')), []);
  assert.deepEqual(await ask(store.createQuery('Note').filter('tag', '=', 't')), ['a']);
});

test('insert, update and merge', async () => {
  const store = open();
  const key = store.key(['Task', 'a']);
  await assert.rejects(store.update({key, data: {n: 1}}), code(NOT_FOUND));
  await store.insert({key, data: {n: 1, kept: true}});
  await assert.rejects(store.insert({key, data: {n: 2}}), code(ALREADY_EXISTS));
  await store.merge({key, data: {n: 3}});
  assert.deepEqual(plain((await store.get(key))[0]), {n: 3, kept: true});
  await store.update({key, data: {n: 4}});
  assert.deepEqual(plain((await store.get(key))[0]), {n: 4});
});

test('incomplete keys get ids, and allocated ones are distinct', async () => {
  const store = open();
  const key = store.key(['Task']);
  await store.save({key, data: {n: 1}});
  assert.ok(Number(key.id) > 0);
  const [keys] = await store.allocateIds(store.key(['Task']), 50);
  assert.equal(new Set([...keys.map(k => k.id), key.id]).size, 51);
});

test('reserved ids are not given out', async () => {
  const store = open();
  const [[first]] = await store.allocateIds(store.key(['Task']), 1);
  const reserved = Array.from({length: 20}, (_, i) => String(BigInt(first.id) + BigInt(i + 1)));
  const request = {
    projectId: 'petrichor-clients',
    keys: reserved.map(id => ({
      partitionId: {projectId: 'petrichor-clients', namespaceId: store.namespace},
      path: [{kind: 'Task', id}],
    })),
  };
  await new Promise((resolve, reject) =>
    store.request_({client: 'DatastoreClient', method: 'reserveIds', reqOpts: request}, error =>
      error ? reject(error) : resolve()
    )
  );
  const [given] = await store.allocateIds(store.key(['Task']), 100);
  assert.ok(given.every(key => !reserved.includes(key.id)));
});

test('transforms', async () => {
  const store = open();
  const key = store.key(['T', 'a']);
  await store.save({
    key,
    data: {n: 5, hi: 5, lo: 5, tags: ['a', 'b', 'a']},
    transforms: [
      {property: 'n', increment: 3},
      {property: 'hi', maximum: 9},
      {property: 'lo', minimum: 2},
      {property: 'at', setToServerValue: true},
      {property: 'tags', appendMissingElements: ['b', 'c']},
      {property: 'tags', removeAllFromArray: ['a']},
    ],
  });
  const [{at, ...rest}] = (await store.get(key)).map(plain);
  assert.ok(at instanceof Date && at.getFullYear() > 2020);
  assert.deepEqual(rest, {n: 8, hi: 9, lo: 2, tags: ['b', 'c']});
});

test('namespaces and named databases do not see each other', async () => {
  const store = open();
  await store.save({key: store.key(['Task', 'a']), data: {n: 1}});
  const elsewhere = open();
  assert.equal((await elsewhere.get(elsewhere.key(['Task', 'a'])))[0], undefined);
  const ledger = open({databaseId: 'ledger', namespace: store.namespace});
  const key = ledger.key(['Task', 'a']);
  assert.equal((await ledger.get(key))[0], undefined);
  await ledger.save({key, data: {n: 2}});
  assert.equal((await ledger.get(key))[0].n, 2);
  assert.equal((await store.get(store.key(['Task', 'a'])))[0].n, 1);
});

test('read time shows the past', async () => {
  const store = open();
  const key = store.key(['Task', 'a']);
  await store.save({key, data: {n: 1}});
  const then = Math.ceil(Date.now() / 1000) * 1000; // this client asks for whole seconds
  while (Date.now() <= then) await store.get(key); // until that moment is over
  await store.save({key, data: {n: 2}});
  assert.equal((await store.get(key, {readTime: then}))[0].n, 1);
  assert.equal((await store.get(key))[0].n, 2);
  const [past] = await store.createQuery('Task').filter('n', '=', 1).run({readTime: then});
  assert.deepEqual(names(past), ['a']);
});

test('errors have the documented codes', async () => {
  const store = open();
  const save = (path, data, more = {}) => store.save({key: store.key(path), data, ...more});
  await assert.rejects(save(['Big', 'a'], {v: 'x'.repeat(2 ** 20)}, {excludeFromIndexes: ['v']}), code(INVALID_ARGUMENT));
  await assert.rejects(save(['Long', 'a'], {v: 'x'.repeat(1501)}), code(INVALID_ARGUMENT));
  await assert.rejects(save(['__reserved__', 'a'], {n: 1}), code(INVALID_ARGUMENT));
  await assert.rejects(save(['Task', 'x'.repeat(1501)], {n: 1}), code(INVALID_ARGUMENT));
  const reserved = open({namespace: '__x__'});
  await assert.rejects(reserved.save({key: reserved.key(['T', 1]), data: {n: 1}}), code(INVALID_ARGUMENT));
});
