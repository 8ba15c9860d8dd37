import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Storage} from '@google-cloud/storage';
import {BAD_REQUEST, CONFLICT, NOT_FOUND, PRECONDITION_FAILED} from './fixture.js';
import {host, names, projectId, put, status, text, unused, withBucket} from './fixture.js';

withBucket('a new bucket has the attributes that the client expects', async ({storage, bucket}) => {
  const [metadata] = await bucket.getMetadata();
  assert.equal(metadata.name, bucket.name);
  assert.equal(metadata.id, bucket.name);
  assert.equal(metadata.metageneration, '1');
  assert.equal(metadata.storageClass, 'STANDARD');
  assert.equal(metadata.location, 'US');
  assert.ok(metadata.etag && Number(metadata.projectNumber) > 0 && Date.parse(metadata.timeCreated));
  assert.deepEqual(await bucket.exists(), [true]);
  assert.deepEqual(await storage.bucket('b-no-such-bucket').exists(), [false]);
});

withBucket('errors of buckets have the documented statuses', async ({storage, bucket}) => {
  await assert.rejects(storage.createBucket(bucket.name), status(CONFLICT));
  await assert.rejects(storage.createBucket('Upper'), status(BAD_REQUEST));
  const missing = storage.bucket('b-no-such-bucket');
  await assert.rejects(missing.getMetadata(), status(NOT_FOUND));
  await assert.rejects(missing.getFiles(), status(NOT_FOUND));
  await put(bucket, 'a');
  await assert.rejects(bucket.delete(), status(CONFLICT));
  await assert.rejects(bucket.setMetadata({labels: {a: '1'}}, {ifMetagenerationMatch: 7}), status(PRECONDITION_FAILED));
});

withBucket('settings are patched', async ({bucket}) => {
  await bucket.setMetadata({labels: {a: '1', b: '2'}, versioning: {enabled: true}});
  await bucket.setCorsConfiguration([{origin: ['*'], method: ['GET'], maxAgeSeconds: 60}]);
  await bucket.addLifecycleRule({action: {type: 'Delete'}, condition: {age: 30}});
  await bucket.setMetadata({labels: {a: null}});
  const [metadata] = await bucket.getMetadata();
  assert.deepEqual(metadata.labels, {b: '2'});
  assert.deepEqual(metadata.versioning, {enabled: true});
  assert.deepEqual(metadata.cors, [{origin: ['*'], method: ['GET'], maxAgeSeconds: 60}]);
  assert.equal(metadata.lifecycle.rule[0].condition.age, 30);
});

withBucket('buckets are listed by project in pages', async ({storage, bucket, create}) => {
  const made = [bucket.name, (await create()).name, (await create()).name].sort();
  const all = [];
  for (let query = {maxResults: 1, autoPaginate: false}; query; ) {
    const [page, next] = await storage.getBuckets(query);
    assert.ok(page.length <= 1);
    all.push(...page);
    query = next;
  }
  assert.deepEqual(
    names(all).filter(name => made.includes(name)),
    made
  );
  const [elsewhere] = await storage.getBuckets({project: 'another-project', prefix: bucket.name});
  assert.deepEqual(elsewhere, []);
});

// Without STORAGE_EMULATOR_HOST, the client sends requests of the JSON API to other paths.
test('the option apiEndpoint selects a server', async () => {
  const apiEndpoint = host();
  delete process.env.STORAGE_EMULATOR_HOST;
  try {
    const storage = new Storage({projectId, apiEndpoint});
    const [bucket] = await storage.createBucket('b-' + unused());
    const file = await put(bucket, 'a', 'text');
    assert.equal(await text(file), 'text');
    await file.delete();
    await bucket.delete();
  } finally {
    process.env.STORAGE_EMULATOR_HOST = apiEndpoint;
  }
});
