// A connector in plain node:http, without the package `concordat`: the contract is not tied to it.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const password = process.env.FOREIGN_PASSWORD;
const sessions = new Set();
const issues = [{ id: 1, title: 'It broke' }];
const photo = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
const limit = { requests: 3, windowMs: 1000, used: 0, endsAt: 0 };

class Failure extends Error {
  constructor(status, code, message, headers = {}) {
    super(message);
    Object.assign(this, { status, code, headers });
  }
}

async function readJson(request) {
  let size = 0;
  const chunks = [];
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= 1024 * 1024) chunks.push(chunk);
  }
  if (size > 1024 * 1024) throw new Failure(413, 'TOO_LARGE', 'The body is larger than 1 MiB');
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    throw new Failure(400, 'BAD_JSON', 'The body is not valid JSON');
  }
}

async function initialize(request) {
  const parameters = await readJson(request);
  if (!Array.isArray(parameters) || !parameters.every((entry) => typeof entry?.value === 'string')) {
    throw new Failure(400, 'BAD_PARAMETERS', 'The body must be an array of {key, value, sensitive}');
  }
  const given = Object.fromEntries(parameters.map(({ key, value }) => [key, value]));
  if (given.user !== 'alice' || given.password !== password) {
    throw new Failure(401, 'WRONG_PASSWORD', 'User or password is wrong');
  }
  const session = randomUUID();
  sessions.add(session);
  return [200, [{ key: 'X-Session', value: session, sensitive: true }]];
}

function takeFromLimit() {
  const now = performance.now();
  if (now >= limit.endsAt) Object.assign(limit, { used: 0, endsAt: now + limit.windowMs });
  if (++limit.used <= limit.requests) return;
  const seconds = Math.ceil((limit.endsAt - now) / 1000);
  throw new Failure(403, 'LIMIT', 'Three requests a second are allowed', { 'retry-after': String(seconds) });
}

const routes = {
  'GET /issues': () => [200, issues],
  'HEAD /issues': () => [200],
  'POST /issues': async ({ request }) => {
    const { title } = await readJson(request);
    if (typeof title !== 'string' || title === '') throw new Failure(400, 'BAD_ISSUE', '`title` is empty');
    issues.push({ id: issues.length + 1, title });
    return [201, issues.at(-1)];
  },
  'GET /photo': () => [200, photo],
  'GET /secrets': () => {
    throw new Failure(403, 'DENIED', 'Not for you');
  },
  'GET /broken': () => {
    throw new TypeError('a defect');
  },
  'GET /limited': () => {
    takeFromLimit();
    return [200, {}];
  },
  'POST /expire': ({ session }) => [sessions.delete(session) ? 204 : 404],
  'POST /cleanup': ({ session }) => [sessions.delete(session) ? 204 : 404],
};

async function answer(request) {
  const { pathname } = new URL(request.url, 'http://connector');
  if (request.method === 'POST' && pathname === '/initialize') return initialize(request);
  const issue = /^\/issues\/(\d+)$/.exec(pathname);
  const route = issue ? readIssue(Number(issue[1])) : routes[`${request.method} ${pathname}`];
  if (route === undefined) throw new Failure(404, 'NO_ROUTE', `There is no ${request.method} ${pathname}`);
  const session = request.headers['x-session'];
  if (!sessions.has(session)) throw new Failure(401, 'NO_SESSION', 'The session is missing or has ended');
  return route({ request, session });
}

const readIssue = (id) => () => {
  const found = issues.find((issue) => issue.id === id);
  if (found === undefined) throw new Failure(404, 'NO_ISSUE', `There is no issue ${id}`);
  return [200, found];
};

function write(response, status, value, headers = {}) {
  if (Buffer.isBuffer(value)) {
    return response.writeHead(status, { 'content-type': 'image/png', 'content-length': value.length }).end(value);
  }
  const body = value === undefined ? '' : JSON.stringify(value);
  const type = value === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' };
  response.writeHead(status, { ...type, ...headers }).end(body);
}

const server = createServer(async (request, response) => {
  try {
    const [status, value] = await answer(request);
    write(response, status, value);
  } catch (error) {
    const known = error instanceof Failure ? error : new Failure(500, 'DEFECT', 'The connector failed');
    write(response, known.status, { errors: { code: known.code, message: known.message } }, known.headers);
  }
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});
