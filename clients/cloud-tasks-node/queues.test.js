import assert from 'node:assert/strict';
import {ALREADY_EXISTS, INVALID_ARGUMENT, NOT_FOUND, code, each} from './fixture.js';

each('a queue is created, read, changed and deleted', async ({client, parent}) => {
  const name = `${parent}/queues/q`;
  const [created] = await client.createQueue({
    parent,
    queue: {name, rateLimits: {maxDispatchesPerSecond: 2.5}},
  });
  assert.equal(created.state, 'RUNNING');
  assert.equal(created.rateLimits.maxDispatchesPerSecond, 2.5);
  assert.equal(created.retryConfig.maxAttempts, 100);
  assert.deepEqual((await client.getQueue({name}))[0], created);
  const [changed] = await client.updateQueue({
    queue: {name, retryConfig: {minBackoff: {seconds: 3}}, rateLimits: {maxDispatchesPerSecond: 9}},
    updateMask: {paths: ['retry_config.min_backoff']},
  });
  assert.equal(Number(changed.retryConfig.minBackoff.seconds), 3);
  assert.equal(changed.rateLimits.maxDispatchesPerSecond, 2.5);
  await client.deleteQueue({name});
  await assert.rejects(client.getQueue({name}), code(NOT_FOUND));
});

each('errors of queues have the documented codes', async fixture => {
  await fixture.queue();
  await assert.rejects(fixture.queue(), code(ALREADY_EXISTS));
  await assert.rejects(fixture.queue('not_valid'), code(INVALID_ARGUMENT));
  await assert.rejects(fixture.client.pauseQueue({name: `${fixture.parent}/queues/unknown`}), code(NOT_FOUND));
});

each('queues are listed in pages', async fixture => {
  const {client, parent} = fixture;
  const names = [`${parent}/queues/default`];
  for (let i = 0; i < 4; i++) {
    names.push(await fixture.queue('q' + i));
  }
  const [all] = await client.listQueues({parent, pageSize: 2});
  assert.deepEqual(
    all.map(queue => queue.name),
    names
  );
  const sizes = [];
  for (let pageToken = ''; pageToken || !sizes.length; ) {
    const [page, , answer] = await client.listQueues({parent, pageSize: 2, pageToken}, {autoPaginate: false});
    sizes.push(page.length);
    pageToken = answer.nextPageToken;
  }
  assert.deepEqual(sizes, [2, 2, 1]);
});

each('a queue is paused and resumed', async fixture => {
  const {client, parent} = fixture;
  await fixture.queue('other');
  const name = await fixture.queue();
  assert.equal((await client.pauseQueue({name}))[0].state, 'PAUSED');
  const [paused] = await client.listQueues({parent, filter: 'state: PAUSED'});
  assert.deepEqual(
    paused.map(queue => queue.name),
    [name]
  );
  assert.equal((await client.resumeQueue({name}))[0].state, 'RUNNING');
});
