// A bucket that no other test uses; the client finds the server by STORAGE_EMULATOR_HOST.
import {randomUUID} from 'node:crypto';
import {test} from 'node:test';
import {Storage} from '@google-cloud/storage';

const TIMEOUT_MS = 60_000;

export const projectId = 'petrichor-clients';
export const MIB = 1 << 20;
export const CHUNK = 256 << 10;

export function host() {
  const address = process.env.STORAGE_EMULATOR_HOST;
  if (!address) {
    throw new Error('set STORAGE_EMULATOR_HOST=http://HOST:PORT, or start these tests with clients/run');
  }
  return address;
}

export function client(options = {}) {
  host();
  return new Storage({projectId, ...options});
}

export const unused = () => randomUUID().replaceAll('-', '').slice(0, 20);

// A test with a bucket, and a function that creates further ones; they are removed afterwards.
export function withBucket(what, run, metadata = {}) {
  test(what, {timeout: TIMEOUT_MS}, async () => {
    const storage = client();
    const made = [];
    const create = async settings => {
      const [bucket] = await storage.createBucket('b-' + unused(), settings);
      made.push(bucket);
      return bucket;
    };
    try {
      await run({storage, bucket: await create(metadata), create});
    } finally {
      for (const bucket of made) {
        await bucket.deleteFiles({versions: true});
        await bucket.delete();
      }
    }
  });
}

export async function put(bucket, name, content = '', options = {}) {
  const file = bucket.file(name);
  await file.save(content, {resumable: false, ...options});
  return file;
}

export const text = async file => (await file.download())[0].toString();
export const names = files => files.map(file => file.name);

export const CONFLICT = 409;
export const BAD_REQUEST = 400;
export const NOT_FOUND = 404;
export const PRECONDITION_FAILED = 412;
export const status = wanted => error => error.code === wanted;
