// A database that no other test uses; databases exist as soon as they are used. The server is at PETRICHOR_TEST_SQL.
import {randomUUID} from 'node:crypto';
import {test} from 'node:test';
import pg from 'pg';

const TIMEOUT_MS = 60_000;

export function settings() {
  const address = process.env.PETRICHOR_TEST_SQL;
  if (!address) {
    throw new Error('set PETRICHOR_TEST_SQL=HOST:PORT, or start these tests with clients/run');
  }
  const [host, port] = address.split(':');
  return {host, port: Number(port), user: 'node', database: 'node-' + randomUUID().slice(0, 13)};
}

// A test with a pool of connections.
export function withPool(what, run) {
  test(what, {timeout: TIMEOUT_MS}, async () => {
    const pool = new pg.Pool({...settings(), max: 4});
    try {
      await run(pool);
    } finally {
      await pool.end();
    }
  });
}

export async function withClient(pool, run) {
  const client = await pool.connect();
  try {
    return await run(client);
  } finally {
    client.release();
  }
}
