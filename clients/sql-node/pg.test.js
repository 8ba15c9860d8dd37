import assert from 'node:assert/strict';
import {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import Cursor from 'pg-cursor';
import {from as copyFrom, to as copyTo} from 'pg-copy-streams';
import {withClient, withPool} from './fixture.js';

const CITY = 'CREATE TABLE city (id SERIAL PRIMARY KEY, name TEXT UNIQUE, people BIGINT, tags TEXT[], info JSONB)';

withPool('queries, prepared statements and types', async pool => {
  await pool.query(CITY);
  const insert = 'INSERT INTO city (name, people, tags, info) VALUES ($1, $2, $3, $4) RETURNING id';
  const {rows: [{id}]} = await pool.query(insert, ['Lyon', '520000', ['river', 'big, old'], {country: {code: 'FR'}}]);
  assert.equal(id, 1);
  for (let round = 0; round < 3; round++) {
    const {rows, fields} = await pool.query({name: 'by-id', text: 'SELECT * FROM city WHERE id = $1', values: [id]});
    assert.deepEqual(rows, [
      {id, name: 'Lyon', people: '520000', tags: ['river', 'big, old'], info: {country: {code: 'FR'}}},
    ]);
    assert.deepEqual(fields.map(field => field.dataTypeID), [23, 25, 20, 1009, 3802]);
  }
  const times = await pool.query('SELECT $1::timestamptz AS at, $2::date AS day, $3::numeric AS price', [
    new Date(0), '2026-11-28', '12.25',
  ]);
  assert.equal(times.rows[0].at.getTime(), 0);
  assert.equal(times.rows[0].price, '12.25');
});

withPool('cursors read a result in parts', async pool => {
  await withClient(pool, async client => {
    await client.query('CREATE TABLE n (k INT PRIMARY KEY)');
    await client.query('INSERT INTO n SELECT x FROM generate_series(1, 1000) AS s(x)');
    const cursor = client.query(new Cursor('SELECT k FROM n WHERE k > $1 ORDER BY k', [10]));
    let sum = 0;
    let reads = 0;
    for (let rows = await cursor.read(100); rows.length; rows = await cursor.read(100)) {
      sum += rows.reduce((total, {k}) => total + k, 0);
      reads++;
    }
    await cursor.close();
    assert.equal(sum, 500_500 - 55);
    assert.equal(reads, 10);
    const early = client.query(new Cursor('SELECT k FROM n'));
    assert.equal((await early.read(5)).length, 5);
    await early.close();
    assert.equal((await client.query('SELECT 1 AS one')).rows[0].one, 1);
  });
});

withPool('COPY to and from streams', async pool => {
  await withClient(pool, async client => {
    await client.query('CREATE TABLE line (k INT PRIMARY KEY, t TEXT)');
    const lines = Array.from({length: 500}, (_, k) => `${k}\tline ${k}\n`);
    await pipeline(Readable.from(lines), client.query(copyFrom('COPY line FROM STDIN')));
    for (const options of ['CSV', 'BINARY']) {
      const pieces = [];
      const out = client.query(copyTo(`COPY (SELECT * FROM line ORDER BY k) TO STDOUT ${options}`));
      for await (const piece of out) {
        pieces.push(piece);
      }
      await client.query('DELETE FROM line');
      const into = client.query(copyFrom(`COPY line FROM STDIN ${options}`));
      await pipeline(Readable.from(pieces), into);
      assert.equal(into.rowCount, 500);
    }
    assert.equal((await client.query('SELECT t FROM line WHERE k = 499')).rows[0].t, 'line 499');
  });
});

withPool('transactions, savepoints and errors', async pool => {
  await pool.query(CITY);
  await withClient(pool, async client => {
    await client.query('BEGIN');
    await client.query("INSERT INTO city (name) VALUES ('Lyon')");
    await client.query('SAVEPOINT before');
    await assert.rejects(client.query("INSERT INTO city (name) VALUES ('Lyon')"), {code: '23505'});
    await assert.rejects(client.query('SELECT 1'), {code: '25P02'});
    await client.query('ROLLBACK TO SAVEPOINT before');
    await client.query('COMMIT');
  });
  const upsert = `INSERT INTO city (name, people) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET people = excluded.people RETURNING people`;
  const {rows} = await pool.query(upsert, ['Lyon', 7]);
  assert.equal(rows[0].people, '7');
  await assert.rejects(pool.query('SELECT * FROM citi'), {code: '42P01'});
  await assert.rejects(pool.query('SELEC 1'), {code: /^(42601|0A000)$/});
});

withPool('queries of several connections at once', async pool => {
  await pool.query('CREATE TABLE counter (k INT PRIMARY KEY, n INT)');
  await pool.query('INSERT INTO counter VALUES (1, 0)');
  // Each statement of its own is repeated by the server after a conflict.
  await Promise.all(Array.from({length: 20}, () => pool.query('UPDATE counter SET n = n + 1 WHERE k = 1')));
  assert.equal((await pool.query('SELECT n FROM counter')).rows[0].n, 20);
});
