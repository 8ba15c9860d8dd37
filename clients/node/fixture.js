// A client with a namespace that no other test uses, and a few entities to query.
import {randomUUID} from 'node:crypto';
import {Datastore} from '@google-cloud/datastore';

export const projectId = 'petrichor-clients';

export function open(options = {}) {
  if (!process.env.DATASTORE_EMULATOR_HOST) {
    throw new Error('set DATASTORE_EMULATOR_HOST, or start these tests with clients/run');
  }
  const namespace = 'n' + randomUUID().replaceAll('-', '');
  return new Datastore({projectId, namespace, ...options});
}

export const names = entities => entities.map(entity => entity[Datastore.KEY].name);

// An entity's properties without its key.
export const plain = entity => Object.fromEntries(Object.entries(entity));

export async function ask(query, options) {
  const [entities] = await query.run(options);
  return names(entities);
}

export const code = wanted => error => error.code === wanted;
export const INVALID_ARGUMENT = 3;
export const NOT_FOUND = 5;
export const ALREADY_EXISTS = 6;
export const ABORTED = 10;

export async function withCities() {
  const store = open();
  const rows = [
    ['graz', 'at', 300, 353.5, true, ['river', 'hill']],
    ['linz', 'at', 200, 266.5, true, ['river']],
    ['wien', 'at', 2000, 151.5, true, ['river', 'palace']],
    ['bern', 'ch', 140, 542.5, false, ['river', 'old']],
    ['zug', 'ch', 30, 425.5, false, ['lake']],
    ['vaduz', 'li', 6, 455.5, false, []],
  ];
  await store.save(
    rows.map(([name, country, thousands, altitude, union, tags]) => ({
      key: store.key(['City', name]),
      data: {country, thousands, altitude, union, tags},
    }))
  );
  return store;
}
