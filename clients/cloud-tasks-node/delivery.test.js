import assert from 'node:assert/strict';
import {FETCHED, each, inAnHour, location, receiver} from './fixture.js';

async function withReceiver(run, ...at) {
  const target = await receiver(...at);
  try {
    await run(target);
  } finally {
    await target.close();
  }
}

each('HTTP tasks arrive with headers and are repeated', fixture =>
  withReceiver(async target => {
    const task = await fixture.add(await fixture.queue(), {
      httpRequest: {
        url: target.url('/fails?a=1'),
        httpMethod: 'PUT',
        headers: {'X-Own': '1'},
        body: Buffer.from([0, 255]),
      },
    });
    const first = await target.next();
    assert.deepEqual([first.method, first.url, [...first.body]], ['PUT', '/fails?a=1', [0, 255]]);
    assert.equal(first.headers['x-own'], '1');
    assert.equal(first.headers['content-type'], 'application/octet-stream');
    assert.equal(first.headers['x-cloudtasks-queuename'], 'q');
    assert.equal(first.headers['x-cloudtasks-taskname'], task.name.split('/').at(-1));
    assert.equal(first.headers['x-cloudtasks-taskretrycount'], '0');
    const second = await target.next();
    assert.equal(second.headers['x-cloudtasks-taskretrycount'], '1');
    assert.equal(second.headers['x-cloudtasks-taskpreviousresponse'], '503');
  }, FETCHED)
);

each('a paused queue keeps its tasks', fixture =>
  withReceiver(async target => {
    const {client} = fixture;
    const name = await fixture.queue();
    await client.pauseQueue({name});
    await fixture.add(name, {httpRequest: {url: target.url('/paused')}});
    const forced = await fixture.add(name, {httpRequest: {url: target.url('/forced')}, scheduleTime: inAnHour()});
    await client.runTask({name: forced.name});
    assert.equal((await target.next()).url, '/forced');
    await client.resumeQueue({name});
    assert.equal((await target.next()).url, '/paused');
  }, FETCHED)
);

const port = Number(process.env.PETRICHOR_TEST_PUSH_TASKS);

each('tasks of the app arrive', fixture => {
  assert.ok(port, 'set apps.targets of the server and PETRICHOR_TEST_PUSH_TASKS, or start these tests with clients/run');
  return withReceiver(
    async app => {
      const queue = location('pushed-tasks') + '/queues/default';
      await fixture.client.purgeQueue({name: queue});
      await fixture.add(queue, {appEngineHttpRequest: {relativeUri: '/job?a=1', body: Buffer.from('body')}});
      const {method, url, headers, body} = await app.next();
      assert.deepEqual([method, url, body.toString()], ['POST', '/job?a=1', 'body']);
      assert.equal(headers['x-appengine-queuename'], 'default');
    },
    '127.0.0.1',
    port
  );
});
