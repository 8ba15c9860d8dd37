// Notes: the text is an object in Cloud Storage, its description an entity, and a task counts the words.
import {createServer} from 'node:http';
import {randomUUID} from 'node:crypto';
import {Datastore} from '@google-cloud/datastore';
import {Storage} from '@google-cloud/storage';
import {CloudTasksClient} from '@google-cloud/tasks';
import {credentials} from '@grpc/grpc-js';

const NOTE_BYTES_MAX = 1 << 20;
const LISTED_MAX = 50;
const {GOOGLE_CLOUD_PROJECT: projectId, DATASTORE_EMULATOR_HOST: api, PORT} = process.env;

// The clients of Datastore and Cloud Storage find the platform by their own variables, that of Cloud Tasks has none.
const datastore = new Datastore({projectId});
const bucket = new Storage({projectId}).bucket(`${projectId}-notes`);
const tasks = new CloudTasksClient({
  projectId,
  apiEndpoint: api.slice(0, api.lastIndexOf(':')),
  port: Number(api.slice(api.lastIndexOf(':') + 1)),
  sslCreds: credentials.createInsecure(),
});
const queue = tasks.queuePath(projectId, 'here', 'default');

async function body(request) {
  const pieces = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += piece.length;
    if (bytes > NOTE_BYTES_MAX) {
      throw Object.assign(new Error('a note has at most 1 MiB'), {status: 413});
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function add(request) {
  const id = randomUUID();
  const [exists] = await bucket.exists();
  if (!exists) {
    await bucket.create().catch(raced => {
      if (raced.code !== 409) {
        throw raced;
      }
    });
  }
  await bucket.file(id).save(await body(request), {contentType: 'text/plain; charset=utf-8', resumable: false});
  await datastore.save({key: datastore.key(['Note', id]), data: {added: new Date(), words: null}});
  const task = {appEngineHttpRequest: {httpMethod: 'POST', relativeUri: '/tasks/count', body: Buffer.from(id)}};
  await tasks.createTask({parent: queue, task});
  return {status: 201, json: {id}};
}

async function count(request) {
  const id = (await body(request)).toString();
  const [text] = await bucket.file(id).download();
  const words = text.toString().split(/\s+/).filter(word => word).length;
  const transaction = datastore.transaction();
  await transaction.run();
  const key = datastore.key(['Note', id]);
  const [note] = await transaction.get(key);
  transaction.save({key, data: {...note, words}});
  await transaction.commit();
  return {status: 200, json: {words}};
}

async function list() {
  const query = datastore.createQuery('Note').order('added', {descending: true}).limit(LISTED_MAX);
  const [notes] = await datastore.runQuery(query);
  return {status: 200, json: notes.map(note => ({id: note[datastore.KEY].name, words: note.words}))};
}

async function show(id) {
  const [text] = await bucket.file(id).download();
  return {status: 200, text};
}

async function answer(request) {
  const {pathname} = new URL(request.url, 'http://app');
  const note = /^\/notes\/([0-9a-f-]{36})$/.exec(pathname);
  switch (`${request.method} ${note ? '/notes/ID' : pathname}`) {
    case 'GET /': // also asked by the platform whether the app is ready
    case 'GET /notes':
      return list();
    case 'POST /notes':
      return add(request);
    case 'GET /notes/ID':
      return show(note[1]);
    case 'POST /tasks/count': // app.yaml refuses requests of others than the queue
      return count(request);
    default:
      return {status: 404, json: {error: 'not found'}};
  }
}

createServer(async (request, response) => {
  let reply;
  try {
    reply = await answer(request);
  } catch (error) {
    console.error(error);
    const status = error.status ?? (error.code === 404 ? 404 : 500);
    reply = {status, json: {error: status === 500 ? 'try again later' : error.message}};
  }
  response.statusCode = reply.status;
  response.setHeader('Content-Type', reply.json ? 'application/json' : 'text/plain; charset=utf-8');
  response.end(reply.json ? JSON.stringify(reply.json) : reply.text);
}).listen(Number(PORT), '127.0.0.1');
