import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {gzipSync} from 'node:zlib';
import {TransferManager} from '@google-cloud/storage';
import {BAD_REQUEST, CHUNK, MIB, put, status, text, withBucket} from './fixture.js';

const RANGE_NOT_SATISFIABLE = 416;
const large = randomBytes(3 * MIB + 12345);
const content = async file => (await file.download())[0];

withBucket('uploads in one request and in chunks', async ({bucket}) => {
  const uploads = {
    multipart: {resumable: false},
    resumable: {resumable: true},
    chunks: {resumable: true, chunkSize: 4 * CHUNK},
  };
  for (const [name, options] of Object.entries(uploads)) {
    const file = bucket.file(name);
    await file.save(large, options);
    assert.ok(large.equals(await content(file)), name);
    assert.equal(Number((await file.getMetadata())[0].size), large.length);
  }
  assert.equal((await content(await put(bucket, 'empty'))).length, 0);
});

withBucket('a resumable upload of unknown size', async ({bucket}) => {
  const file = bucket.file('stream');
  const pieces = [large.subarray(0, CHUNK + 1), large.subarray(CHUNK + 1)];
  await pipeline(Readable.from(pieces), file.createWriteStream({resumable: true, chunkSize: 2 * CHUNK}));
  assert.ok(large.equals(await content(file)));
});

withBucket('an upload continues in another client', async ({bucket}) => {
  const file = bucket.file('a');
  const [uri] = await file.createResumableUpload();
  const first = await fetch(uri, {
    method: 'PUT',
    headers: {'Content-Range': `bytes 0-${4 * CHUNK - 1}/${large.length}`},
    body: large.subarray(0, 4 * CHUNK),
  });
  assert.equal(first.status, 308);
  await file.save(large, {resumable: true, uri});
  assert.ok(large.equals(await content(file)));
});

withBucket('ranges', async ({bucket}) => {
  const file = await put(bucket, 'a b', '0123456789');
  const range = async options => (await file.download(options))[0].toString();
  assert.equal(await range({start: 2, end: 4}), '234');
  assert.equal(await range({start: 7}), '789');
  assert.equal(await range({end: -3}), '789');
  await assert.rejects(range({start: 10}), status(RANGE_NOT_SATISFIABLE));
});

withBucket('compressed objects', async ({bucket}) => {
  const packed = await put(bucket, 'packed', gzipSync('text'), {
    metadata: {contentEncoding: 'gzip', contentType: 'text/plain'},
  });
  assert.equal(await text(packed), 'text');
  assert.ok(gzipSync('text').equals((await packed.download({decompress: false}))[0]));
  const byTheClient = await put(bucket, 'by-the-client', 'text', {gzip: true});
  assert.equal((await byTheClient.getMetadata())[0].contentEncoding, 'gzip');
  assert.equal(await text(byTheClient), 'text');
});

withBucket('a wrong checksum is refused', async ({bucket}) => {
  await assert.rejects(
    put(bucket, 'a', 'text', {metadata: {md5Hash: 'AAAAAAAAAAAAAAAAAAAAAA=='}, validation: false}),
    status(BAD_REQUEST)
  );
  assert.deepEqual(await bucket.file('a').exists(), [false]);
});

withBucket('parallel transfers', async ({bucket}) => {
  const folder = await mkdtemp(join(tmpdir(), 'petrichor-node-storage-'));
  try {
    const path = join(folder, 'large');
    await writeFile(path, large);
    const [file] = await bucket.upload(path, {destination: 'large'});
    const copy = join(folder, 'copy');
    await new TransferManager(bucket).downloadFileInChunks(file, {destination: copy, chunkSizeBytes: MIB, validation: 'crc32c'});
    assert.ok(large.equals(await readFile(copy)));
  } finally {
    await rm(folder, {recursive: true});
  }
});
