import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {BAD_REQUEST, NOT_FOUND, PRECONDITION_FAILED, names, put, status, text, withBucket} from './fixture.js';

withBucket('metadata is stored and patched', async ({bucket}) => {
  const file = bucket.file('dir/ä b?#+%.txt');
  await file.save('text', {
    resumable: false,
    metadata: {
      contentType: 'text/x-test',
      cacheControl: 'no-store',
      contentDisposition: 'attachment',
      contentLanguage: 'de',
      customTime: '2020-01-02T00:00:00.000Z',
      metadata: {color: 'blue', größe: 'é'},
    },
  });
  const [found] = await bucket.file(file.name).getMetadata();
  assert.equal(found.name, 'dir/ä b?#+%.txt');
  assert.equal(found.contentType, 'text/x-test');
  assert.equal(found.cacheControl, 'no-store');
  assert.equal(found.contentDisposition, 'attachment');
  assert.equal(found.contentLanguage, 'de');
  assert.equal(Date.parse(found.customTime), Date.parse('2020-01-02T00:00:00Z'));
  assert.deepEqual(found.metadata, {color: 'blue', größe: 'é'});
  assert.equal(Number(found.size), 4);
  assert.equal(found.md5Hash, createHash('md5').update('text').digest('base64'));
  assert.ok(found.crc32c && found.etag && found.generation);

  await file.setMetadata({contentType: 'text/plain', cacheControl: null, metadata: {color: 'red', größe: null}});
  const [changed] = await file.getMetadata();
  assert.equal(changed.contentType, 'text/plain');
  assert.equal(changed.cacheControl, undefined);
  assert.equal(changed.contentLanguage, 'de');
  assert.deepEqual(changed.metadata, {color: 'red'});
  assert.equal(changed.generation, found.generation);
  assert.equal(String(changed.metageneration), '2');
});

withBucket('missing objects and invalid names', async ({bucket}) => {
  const missing = bucket.file('no');
  assert.deepEqual(await missing.exists(), [false]);
  await assert.rejects(missing.getMetadata(), status(NOT_FOUND));
  await assert.rejects(missing.download(), status(NOT_FOUND));
  await assert.rejects(missing.delete(), status(NOT_FOUND));
  await missing.delete({ignoreNotFound: true});
  await assert.rejects(put(bucket, 'a\nb'), status(BAD_REQUEST));
});

withBucket('lists with prefix and delimiter', async ({bucket}) => {
  for (const name of ['a', 'b/1', 'b/2', 'b/c/3', 'd/4', 'e']) {
    await put(bucket, name);
  }
  const list = async query => names((await bucket.getFiles(query))[0]);
  assert.deepEqual(await list(), ['a', 'b/1', 'b/2', 'b/c/3', 'd/4', 'e']);
  assert.deepEqual(await list({prefix: 'b/'}), ['b/1', 'b/2', 'b/c/3']);
  assert.deepEqual(await list({startOffset: 'b/2', endOffset: 'e'}), ['b/2', 'b/c/3', 'd/4']);
  assert.deepEqual(await list({matchGlob: '**/{3,4}'}), ['b/c/3', 'd/4']);
  const [files, , answer] = await bucket.getFiles({prefix: 'b/', delimiter: '/', autoPaginate: false});
  assert.deepEqual(names(files), ['b/1', 'b/2']);
  assert.deepEqual(answer.prefixes, ['b/c/']);
});

withBucket('lists in pages', async ({bucket}) => {
  for (let i = 0; i < 7; i++) {
    await put(bucket, String(i));
  }
  const sizes = [];
  for (let query = {maxResults: 3, autoPaginate: false}; query; ) {
    const [page, next] = await bucket.getFiles(query);
    sizes.push(page.length);
    query = next;
  }
  assert.deepEqual(sizes, [3, 3, 1]);
});

withBucket('generations and preconditions', async ({bucket}) => {
  const file = bucket.file('a');
  const save = (content, preconditionOpts) => file.save(content, {resumable: false, preconditionOpts});
  await save('1', {ifGenerationMatch: 0});
  const first = file.metadata.generation;
  await assert.rejects(save('2', {ifGenerationMatch: 0}), status(PRECONDITION_FAILED));
  await save('2', {ifGenerationMatch: first});
  assert.ok(BigInt(file.metadata.generation) > BigInt(first));
  await assert.rejects(file.delete({ifGenerationMatch: first}), status(PRECONDITION_FAILED));
  await assert.rejects(
    file.setMetadata({contentType: 'text/plain'}, {ifMetagenerationMatch: 7}),
    status(PRECONDITION_FAILED)
  );
  assert.equal(await text(file), '2');
});

withBucket(
  'versions',
  async ({bucket}) => {
    const generations = [];
    for (const content of ['1', '2', '3']) {
      generations.push((await put(bucket, 'a', content)).metadata.generation);
    }
    const versions = async () => (await bucket.getFiles({versions: true}))[0].map(file => file.metadata.generation);
    assert.deepEqual(await versions(), generations);
    assert.equal(await text(bucket.file('a', {generation: generations[0]})), '1');
    await bucket.file('a').delete();
    assert.deepEqual(names((await bucket.getFiles())[0]), []);
    await bucket.file('a', {generation: generations[1]}).delete();
    assert.deepEqual(await versions(), [generations[0], generations[2]]);
    await bucket.file('a', {generation: generations[0]}).copy(bucket.file('a'));
    assert.equal(await text(bucket.file('a')), '1');
  },
  {versioning: {enabled: true}}
);

withBucket('copies, moves and new storage classes', async ({bucket, create}) => {
  const other = await create();
  const source = await put(bucket, 'a/b c', 'text', {contentType: 'text/x'});
  const [copy] = await source.copy(other.file('d/e'));
  assert.equal(await text(copy), 'text');
  assert.equal((await copy.getMetadata())[0].contentType, 'text/x');
  await assert.rejects(
    source.copy(other.file('d/e'), {preconditionOpts: {ifGenerationMatch: 0}}),
    status(PRECONDITION_FAILED)
  );
  await source.move('moved');
  assert.deepEqual(names((await bucket.getFiles())[0]), ['moved']);
  await bucket.file('moved').setStorageClass('nearline');
  assert.equal((await bucket.file('moved').getMetadata())[0].storageClass, 'NEARLINE');
  await assert.rejects(bucket.file('no').copy('b'), status(NOT_FOUND));
});

withBucket('compositions', async ({bucket}) => {
  const parts = [await put(bucket, '1', 'one '), await put(bucket, '2', 'two')];
  const [whole] = await bucket.combine(parts, 'whole.txt');
  assert.equal(await text(whole), 'one two');
  const [metadata] = await whole.getMetadata();
  assert.equal(metadata.componentCount, 2);
  assert.equal(metadata.md5Hash, undefined);
  await assert.rejects(bucket.combine(['1', 'no'], 'other.txt'), status(NOT_FOUND));
  await parts[0].delete();
  assert.equal(await text(whole), 'one two');
});
