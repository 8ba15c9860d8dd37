import assert from 'node:assert/strict';
import {test} from 'node:test';
import {ABORTED, code, names, open} from './fixture.js';

async function withCounter(n) {
  const store = open();
  const key = store.key(['Counter', 'a']);
  await store.save({key, data: {n}});
  return {store, key, read: async () => (await store.get(key))[0].n};
}

test('a transaction commits all it saved, at once', async () => {
  const {store, key, read} = await withCounter(1);
  const transaction = store.transaction();
  await transaction.run();
  const [counter] = await transaction.get(key);
  const log = store.key(['Log']);
  transaction.save([
    {key, data: {n: counter.n + 1}},
    {key: log, data: {change: 1}},
  ]);
  assert.equal(await read(), 1);
  await transaction.commit();
  assert.equal(await read(), 2);
  assert.equal((await store.get(log))[0].change, 1);
});

test('of two transactions on one entity the second to commit is aborted', async () => {
  const {store, key, read} = await withCounter(1);
  const begin = async () => {
    const transaction = store.transaction();
    await transaction.run();
    const [counter] = await transaction.get(key);
    transaction.save({key, data: {n: counter.n + 1}});
    return transaction;
  };
  const [first, second] = [await begin(), await begin()];
  await first.commit();
  await assert.rejects(second.commit(), code(ABORTED));
  assert.equal(await read(), 2);
});

test('retries finish, and every increment is counted', async () => {
  const {store, key, read} = await withCounter(0);
  const increment = async () => {
    for (let attempt = 0; attempt < 100; attempt++) {
      const transaction = store.transaction();
      try {
        await transaction.run();
        const [counter] = await transaction.get(key);
        transaction.save({key, data: {n: counter.n + 1}});
        await transaction.commit();
        return;
      } catch (error) {
        if (error.code !== ABORTED) throw error;
      }
    }
    throw new Error('an increment gave up after 100 attempts');
  };
  await Promise.all(Array.from({length: 12}, increment));
  assert.equal(await read(), 12);
});

test('a phantom in a query is a conflict', async () => {
  const {store} = await withCounter(1);
  const transaction = store.transaction();
  await transaction.run();
  const [seen] = await transaction.createQuery('Counter').filter('n', '=', 1).run();
  assert.deepEqual(names(seen), ['a']);
  await store.save({key: store.key(['Counter', 'z']), data: {n: 1}});
  transaction.save({key: store.key(['Sum', 's']), data: {n: seen.length}});
  await assert.rejects(transaction.commit(), code(ABORTED));
});

test('a rollback leaves nothing behind', async () => {
  const {store, key, read} = await withCounter(1);
  const transaction = store.transaction();
  await transaction.run();
  transaction.save({key, data: {n: 5}});
  await transaction.rollback();
  assert.equal(await read(), 1);
});

test('a read-only transaction reads one snapshot', async () => {
  const {store, key, read} = await withCounter(1);
  const transaction = store.transaction({readOnly: true});
  await transaction.run();
  assert.equal((await transaction.get(key))[0].n, 1);
  await store.save({key, data: {n: 2}});
  assert.equal((await transaction.get(key))[0].n, 1);
  const [seen] = await transaction.createQuery('Counter').run();
  assert.equal(seen[0].n, 1);
  await transaction.commit();
  assert.equal(await read(), 2);
});

test('aggregations inside a transaction see its snapshot', async () => {
  const {store, key} = await withCounter(1);
  const transaction = store.transaction();
  await transaction.run();
  await transaction.get(key);
  await store.save({key: store.key(['Counter', 'z']), data: {n: 1}});
  const [[result]] = await transaction
    .createAggregationQuery(transaction.createQuery('Counter'))
    .count('n')
    .run();
  assert.equal(result.n, 1);
  await transaction.rollback();
});

test('allocated ids in a transaction complete its keys', async () => {
  const {store} = await withCounter(1);
  const transaction = store.transaction();
  await transaction.run();
  const [[key]] = await transaction.allocateIds(store.key(['Counter']), 1);
  transaction.save({key, data: {n: 9}});
  await transaction.commit();
  assert.equal((await store.get(key))[0].n, 9);
});
