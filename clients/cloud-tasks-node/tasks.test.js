import assert from 'node:assert/strict';
import {ALREADY_EXISTS, INVALID_ARGUMENT, NOT_FOUND, code, each, waiting} from './fixture.js';

each('tasks are created, read, listed and deleted', async fixture => {
  const {client} = fixture;
  const queue = await fixture.queue();
  const created = await fixture.add(queue, waiting());
  assert.ok(created.name.startsWith(queue + '/tasks/'));
  assert.equal(created.view, 'BASIC');
  assert.equal(created.appEngineHttpRequest.body.length, 0);
  const [full] = await client.getTask({name: created.name, responseView: 'FULL'});
  assert.equal(Buffer.from(full.appEngineHttpRequest.body).toString(), 'body');
  assert.equal(full.appEngineHttpRequest.httpMethod, 'POST');
  const late = Number(full.scheduleTime.seconds) - Date.now() / 1000;
  assert.ok(late > 3500 && late <= 3600, `scheduled in ${late} s`);
  const names = [created.name];
  for (let i = 0; i < 4; i++) {
    names.push((await fixture.add(queue, waiting())).name);
  }
  assert.deepEqual((await fixture.tasks(queue)).sort(), names.sort());
  await client.deleteTask({name: created.name});
  await assert.rejects(client.getTask({name: created.name}), code(NOT_FOUND));
  await client.purgeQueue({name: queue});
  assert.deepEqual(await fixture.tasks(queue), []);
});

each('a name is used once', async fixture => {
  const queue = await fixture.queue();
  const name = `${queue}/tasks/once`;
  assert.equal((await fixture.add(queue, waiting({name}))).name, name);
  await assert.rejects(fixture.add(queue, waiting({name})), code(ALREADY_EXISTS));
  await fixture.client.deleteTask({name});
  await assert.rejects(fixture.add(queue, waiting({name})), code(ALREADY_EXISTS));
});

each('errors of tasks have the documented codes', async fixture => {
  await assert.rejects(fixture.add(`${fixture.parent}/queues/unknown`, waiting()), code(NOT_FOUND));
  const queue = await fixture.queue();
  await assert.rejects(fixture.add(queue, {}), code(INVALID_ARGUMENT));
  const large = {appEngineHttpRequest: {relativeUri: '/job', body: Buffer.alloc(200_000)}};
  await assert.rejects(fixture.add(queue, large), code(INVALID_ARGUMENT));
  await assert.rejects(fixture.client.runTask({name: `${queue}/tasks/unknown`}), code(NOT_FOUND));
});
