import assert from 'node:assert/strict';
import {test} from 'node:test';
import knex from 'knex';
import {settings} from './fixture.js';

class Migrations {
  getMigrations = async () => ['1-books', '2-pages'];
  getMigrationName = name => name;
  getMigration = async name => MIGRATIONS[name];
}

const MIGRATIONS = {
  '1-books': {
    async up(db) {
      await db.schema.createTable('author', table => {
        table.increments('id');
        table.string('name', 100).notNullable().unique();
      });
      await db.schema.createTable('book', table => {
        table.increments('id');
        table.integer('author_id').references('id').inTable('author').notNullable().index();
        table.text('title').notNullable();
        table.jsonb('info');
        table.timestamp('added').defaultTo(db.fn.now());
      });
    },
    down: db => db.schema.dropTable('book').dropTable('author'),
  },
  '2-pages': {
    up: db => db.schema.alterTable('book', table => table.integer('pages').defaultTo(0)),
    down: db => db.schema.alterTable('book', table => table.dropColumn('pages')),
  },
};

test('knex: migrations, queries and transactions', {timeout: 60_000}, async () => {
  const db = knex({client: 'pg', connection: settings(), pool: {min: 0, max: 4}});
  const migrations = {migrationSource: new Migrations()};
  try {
    await db.migrate.latest(migrations);
    assert.equal(await db.schema.hasTable('book'), true);
    assert.equal(await db.schema.hasColumn('book', 'pages'), true);
    assert.equal((await db('book').columnInfo()).author_id.nullable, false);

    const [{id}] = await db('author').insert({name: 'Jane'}).returning('id');
    await db('book').insert([
      {author_id: id, title: 'Emma', info: {year: 1815}},
      {author_id: id, title: 'Persuasion', pages: 200},
    ]);
    const rows = await db('book').join('author', 'author.id', 'book.author_id').where('pages', '>', 100)
      .select('title', 'name');
    assert.deepEqual(rows, [{title: 'Persuasion', name: 'Jane'}]);
    await db('author').insert({name: 'Jane'}).onConflict('name').ignore();
    await db('author').insert({id, name: 'Jane A.'}).onConflict('id').merge();
    assert.equal((await db('author').first()).name, 'Jane A.');

    await assert.rejects(db.transaction(async trx => {
      await trx('book').update({pages: 1});
      throw new Error('roll back');
    }), /roll back/);
    assert.equal(Number((await db('book').where({pages: 1}).count('* as n'))[0].n), 0);
    await assert.rejects(db('book').insert({author_id: 99, title: 'x'}), {code: '23503'});

    await db.migrate.rollback(migrations, true);
    assert.equal(await db.schema.hasTable('author'), false);
  } finally {
    await db.destroy();
  }
});
