import assert from 'node:assert/strict';
import {client, host, projectId, text, unused, withBucket} from './fixture.js';

// Runs with a client that has a signing key of the project.
async function withKey(run) {
  const keys = `${host()}/petrichor/v1/projects/${projectId}/storage-keys`;
  const answer = await fetch(keys, {method: 'POST', body: JSON.stringify({name: 'k' + unused().slice(0, 12)})});
  assert.equal(answer.status, 200, await answer.clone().text());
  const credentials = await answer.json();
  try {
    await run(client({credentials}));
  } finally {
    await fetch(`${keys}/${credentials.client_email}`, {method: 'DELETE'});
  }
}

withBucket('signed URLs', async ({bucket}) =>
  withKey(async storage => {
    const file = storage.bucket(bucket.name).file('dir/ä b+c.txt');
    const expires = Date.now() + 60_000;
    const sign = async (action, options) => (await file.getSignedUrl({version: 'v4', action, expires, ...options}))[0];
    const headers = {'content-type': 'text/x', 'x-goog-meta-color': 'blue'};
    const upload = await sign('write', {
      contentType: 'text/x',
      extensionHeaders: {'x-goog-meta-color': 'blue'},
    });
    assert.ok(upload.startsWith(host()));
    assert.equal((await fetch(upload, {method: 'PUT', body: 'text', headers})).status, 200);
    const [metadata] = await file.getMetadata();
    assert.equal(metadata.contentType, 'text/x');
    assert.deepEqual(metadata.metadata, {color: 'blue'});
    const download = await sign('read', {responseDisposition: 'attachment; filename=x'});
    const answer = await fetch(download);
    assert.deepEqual([answer.status, await answer.text()], [200, 'text']);
    assert.equal(answer.headers.get('content-disposition'), 'attachment; filename=x');
    const refused = await fetch(download, {method: 'DELETE'});
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /<Code>AccessDenied<\/Code>/);
    assert.equal((await fetch(await sign('delete'), {method: 'DELETE'})).status, 204);
    assert.equal((await fetch(download)).status, 404);
  })
);

withBucket('a signed resumable upload', async ({bucket}) =>
  withKey(async storage => {
    const file = storage.bucket(bucket.name).file('a');
    const [url] = await file.getSignedUrl({version: 'v4', action: 'resumable', expires: Date.now() + 60_000});
    const started = await fetch(url, {method: 'POST', headers: {'x-goog-resumable': 'start'}});
    assert.equal(started.status, 201);
    assert.equal((await fetch(started.headers.get('location'), {method: 'PUT', body: 'text'})).status, 200);
    assert.equal(await text(bucket.file('a')), 'text');
  })
);
