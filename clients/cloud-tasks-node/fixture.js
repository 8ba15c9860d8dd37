// Clients with a project that no other test uses, and a server that receives tasks.
import {randomUUID} from 'node:crypto';
import {createServer} from 'node:http';
import {test} from 'node:test';
import {CloudTasksClient} from '@google-cloud/tasks';
import {credentials} from '@grpc/grpc-js';
import {PassThroughClient} from 'google-auth-library';

const TIMEOUT_MS = 60_000;

export const FETCHED = '127.0.0.2'; // clients/run permits requests to it
export const location = project => `projects/${project}/locations/europe-west1`;

const CLIENTS = {
  grpc: address => new CloudTasksClient({...address, sslCreds: credentials.createInsecure()}),
  rest: address => new CloudTasksClient({...address, fallback: true, protocol: 'http', auth: new PassThroughClient()}),
};

function address() {
  const {API_HOST, API_PORT} = process.env;
  if (!API_HOST || !API_PORT) {
    throw new Error('set API_HOST and API_PORT, or start these tests with clients/run');
  }
  return {apiEndpoint: API_HOST, port: Number(API_PORT), projectId: 'petrichor-clients'};
}

// A test with a client over gRPC, and one with a client over REST.
export function each(what, run) {
  for (const [protocol, open] of Object.entries(CLIENTS)) {
    test(`${what} (${protocol})`, {timeout: TIMEOUT_MS}, async () => {
      const client = open(address());
      try {
        await run(new Fixture(client, location('t' + randomUUID().replaceAll('-', '').slice(0, 20))));
      } finally {
        await client.close();
      }
    });
  }
}

class Fixture {
  constructor(client, parent) {
    this.client = client;
    this.parent = parent;
  }

  // Creates a queue and returns its name.
  async queue(name = 'q', fields = {}) {
    const queue = {name: `${this.parent}/queues/${name}`, ...fields};
    const [created] = await this.client.createQueue({parent: this.parent, queue});
    return created.name;
  }

  async add(parent, task) {
    const [created] = await this.client.createTask({parent, task});
    return created;
  }

  async tasks(parent) {
    const [found] = await this.client.listTasks({parent, pageSize: 2});
    return found.map(task => task.name);
  }
}

export const inAnHour = () => ({seconds: Math.floor(Date.now() / 1000) + 3600});

// A task that no test executes.
export const waiting = (fields = {}) => ({
  scheduleTime: inAnHour(),
  appEngineHttpRequest: {relativeUri: '/job', body: Buffer.from('body')},
  ...fields,
});

// Codes of gRPC.
export const INVALID_ARGUMENT = 3;
export const NOT_FOUND = 5;
export const ALREADY_EXISTS = 6;
const STATUSES = {[INVALID_ARGUMENT]: 400, [NOT_FOUND]: 404, [ALREADY_EXISTS]: 409};

// Over REST, errors have the HTTP status only.
export const code = wanted => error => error.code === wanted || error.status === STATUSES[wanted];

// Records requests, and fails the first one to each path that begins with /fails.
export async function receiver(host, port = 0) {
  const failed = new Set();
  const arrived = [];
  const waiters = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) {
      chunks.push(chunk);
    }
    response.statusCode = request.url.startsWith('/fails') && !failed.has(request.url) ? 503 : 200;
    failed.add(request.url);
    response.end();
    arrived.push({method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(chunks)});
    waiters.shift()?.();
  });
  await new Promise(listening => server.listen(port, host, listening));
  return {
    url: path => `http://${host}:${server.address().port}${path}`,
    async next() {
      if (!arrived.length) {
        await new Promise(arrival => waiters.push(arrival));
      }
      return arrived.shift();
    },
    close() {
      server.closeAllConnections();
      return new Promise(closed => server.close(closed));
    },
  };
}
