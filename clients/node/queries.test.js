import assert from 'node:assert/strict';
import {before, test} from 'node:test';
import {PropertyFilter, and, or} from '@google-cloud/datastore';
import {INVALID_ARGUMENT, ask, code, names, open, plain, withCities} from './fixture.js';

let store;
before(async () => (store = await withCities()));
const cities = () => store.createQuery('City');

for (const [property, operator, value, expected] of [
  ['thousands', '=', 200, ['linz']],
  ['thousands', '<', 200, ['bern', 'vaduz', 'zug']],
  ['thousands', '<=', 200, ['bern', 'linz', 'vaduz', 'zug']],
  ['thousands', '>', 200, ['graz', 'wien']],
  ['thousands', '>=', 200, ['graz', 'linz', 'wien']],
  ['thousands', '!=', 200, ['bern', 'graz', 'vaduz', 'wien', 'zug']],
  ['thousands', 'IN', [6, 30, 77], ['vaduz', 'zug']],
  ['thousands', 'NOT_IN', [6, 30, 77], ['bern', 'graz', 'linz', 'wien']],
  ['country', '=', 'ch', ['bern', 'zug']],
  ['country', '>', 'ch', ['vaduz']],
  ['country', '!=', 'at', ['bern', 'vaduz', 'zug']],
  ['altitude', '<', 266.5, ['wien']],
  ['union', '=', true, ['graz', 'linz', 'wien']],
  ['tags', '=', 'river', ['bern', 'graz', 'linz', 'wien']],
  ['tags', 'IN', ['river', 'hill'], ['bern', 'graz', 'linz', 'wien']],
]) {
  test(`${property} ${operator} ${value}`, async () => {
    const query = cities().filter(new PropertyFilter(property, operator, value));
    assert.deepEqual((await ask(query)).sort(), expected);
  });
}

test('and, or and their nesting', async () => {
  const small = and([new PropertyFilter('country', '=', 'at'), new PropertyFilter('thousands', '<', 250)]);
  const either = or([small, new PropertyFilter('country', '=', 'li')]);
  assert.deepEqual((await ask(cities().filter(either))).sort(), ['linz', 'vaduz']);
  const twice = or([new PropertyFilter('country', '=', 'at'), new PropertyFilter('union', '=', true)]);
  assert.deepEqual((await ask(cities().filter(twice))).sort(), ['graz', 'linz', 'wien']);
  const both = cities().filter('country', '=', 'at').filter('thousands', '>', 200).filter('altitude', '<', 200.5);
  assert.deepEqual(await ask(both), ['wien']);
});

test('orders, limits and offsets', async () => {
  assert.deepEqual(await ask(cities().order('thousands')), ['vaduz', 'zug', 'bern', 'linz', 'graz', 'wien']);
  assert.deepEqual(await ask(cities().order('thousands', {descending: true}).limit(2)), ['wien', 'graz']);
  assert.deepEqual(await ask(cities().order('country', {descending: true}).order('thousands').limit(3)), ['vaduz', 'zug', 'bern']);
  assert.deepEqual(await ask(cities().filter('country', '=', 'at').order('thousands', {descending: true})), ['wien', 'graz', 'linz']);
  assert.deepEqual(await ask(cities().order('thousands').offset(1).limit(2)), ['zug', 'bern']);
  assert.deepEqual(await ask(cities().offset(100)), []);
});

test('keys in filters', async () => {
  const key = name => store.key(['City', name]);
  assert.deepEqual(await ask(cities().filter('__key__', '>', key('linz'))), ['vaduz', 'wien', 'zug']);
  assert.deepEqual(await ask(cities().filter('__key__', '=', key('linz'))), ['linz']);
  assert.deepEqual(await ask(cities().filter('__key__', 'IN', [key('wien'), key('bern')])), ['bern', 'wien']);
});

test('ancestors and kindless queries', async () => {
  const own = open();
  const save = (path, n) => own.save({key: own.key(path), data: {n}});
  await save(['Book', 'a'], 0);
  await save(['Book', 'a', 'Page', 'p'], 1);
  await save(['Book', 'a', 'Page', 'p', 'Note', 'n'], 2);
  await save(['Book', 'b', 'Page', 'q'], 3);
  const root = own.key(['Book', 'a']);
  assert.deepEqual(await ask(own.createQuery().hasAncestor(root)), ['a', 'p', 'n']);
  assert.deepEqual(await ask(own.createQuery('Page').hasAncestor(root)), ['p']);
  assert.deepEqual(await ask(own.createQuery('Page').hasAncestor(root).filter('n', '>', 0).order('n', {descending: true})), ['p']);
  assert.deepEqual(await ask(own.createQuery()), ['a', 'p', 'n', 'q']);
});

test('keys only, projection and distinct', async () => {
  const [keys] = await cities().select('__key__').order('thousands').run();
  assert.deepEqual(names(keys).slice(0, 2), ['vaduz', 'zug']);
  assert.deepEqual(Object.keys(keys[0]), []);
  const [projected] = await cities().select(['country', 'thousands']).order('country').order('thousands').limit(2).run();
  assert.deepEqual(projected.map(plain), [
    {country: 'at', thousands: 200},
    {country: 'at', thousands: 300},
  ]);
  const [distinct] = await cities().select('country').groupBy('country').run();
  assert.deepEqual(distinct.map(e => e.country), ['at', 'ch', 'li']);
  const [first] = await cities()
    .select(['country', 'thousands'])
    .groupBy('country')
    .order('country')
    .order('thousands', {descending: true})
    .run();
  assert.deepEqual(first.map(e => e.thousands), [2000, 140, 6]);
});

test('cursors', async () => {
  const seen = [];
  let cursor;
  for (let page = 0; page < 10; page++) {
    const query = cities().order('thousands', {descending: true}).limit(2);
    const [entities, info] = await (cursor ? query.start(cursor) : query).run();
    seen.push(...names(entities));
    cursor = info.endCursor;
    if (info.moreResults === 'NO_MORE_RESULTS' || entities.length === 0) break;
    if (page === 0) {
      assert.equal(info.moreResults, 'MORE_RESULTS_AFTER_LIMIT');
      assert.deepEqual(await ask(cities().order('thousands', {descending: true}).end(cursor)), ['wien', 'graz']);
    }
  }
  assert.deepEqual(seen, ['wien', 'graz', 'linz', 'bern', 'zug', 'vaduz']);
});

test('a stream delivers everything', async () => {
  const seen = [];
  for await (const entity of cities().order('thousands').runStream()) seen.push(entity.thousands);
  assert.deepEqual(seen, [6, 30, 140, 200, 300, 2000]);
});

test('many results arrive in batches', async () => {
  const own = open();
  for (let from = 1; from <= 1500; from += 500) {
    await own.save(Array.from({length: 500}, (_, i) => ({key: own.key(['Row', from + i]), data: {n: from + i}})));
  }
  const [rows] = await own.createQuery('Row').order('n').run();
  assert.deepEqual(rows.map(r => r.n), Array.from({length: 1500}, (_, i) => i + 1));
  assert.equal((await own.createQuery('Row').offset(1490).run())[0].length, 10);
});

test('count, sum and average', async () => {
  const aggregation = store
    .createAggregationQuery(cities().filter('country', '=', 'at'))
    .count('n')
    .sum('thousands', 'sum')
    .average('thousands', 'avg');
  const [[result]] = await store.runAggregationQuery(aggregation);
  assert.equal(result.n, 3);
  assert.equal(result.sum, 2500);
  assert.ok(Math.abs(result.avg - 2500 / 3) < 1e-9);
});

test('metadata', async () => {
  const own = open();
  await own.save({key: own.key(['B', 1]), data: {n: 1, text: 't'}});
  await own.save({key: own.key(['A', 1]), data: {n: 1.5}});
  assert.deepEqual(await ask(own.createQuery('__kind__').select('__key__')), ['A', 'B']);
  assert.ok((await ask(own.createQuery('__namespace__').select('__key__'))).includes(own.namespace));
  const [properties] = await own.createQuery('__property__').hasAncestor(own.key(['__kind__', 'B'])).run();
  assert.deepEqual(names(properties), ['n', 'text']);
  assert.deepEqual(properties[0].property_representation, ['INT64']);
});

test('explain', async () => {
  const query = () => cities().filter('country', '=', 'at');
  const [entities, info] = await query().run({explainOptions: {analyze: true}});
  assert.deepEqual(names(entities), ['graz', 'linz', 'wien']);
  assert.ok(info.explainMetrics.planSummary.indexesUsed.length > 0);
  assert.equal(info.explainMetrics.executionStats.resultsReturned, 3);
  const [none, plan] = await query().run({explainOptions: {}});
  assert.deepEqual(none, []);
  assert.ok(plan.explainMetrics.planSummary.indexesUsed.length > 0);
  assert.equal(plan.explainMetrics.executionStats, undefined);
});

test('bad queries are refused', async () => {
  const refused = query => assert.rejects(query.run(), code(INVALID_ARGUMENT));
  await refused(cities().start(Buffer.from('not a cursor').toString('base64')));
  await refused(cities().select('country').filter('country', '=', 'at'));
  await refused(cities().filter('thousands', 'IN', Array.from({length: 31}, (_, i) => i)));
});
