/**
 * A small product to connect: tasks behind a login, with tokens, a rate limit and its own errors. With it the connector runs
 * and its tests pass before you connect a real product. Delete this folder once end-system.ts no longer imports it.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Who may log in. */
export const sampleAccount = { user: 'ada', password: 'correct horse' };

const pageSize = 50;
const limit = { requests: 50, windowMs: 2000 };

/** The file of every task: all byte values, repeated. */
const file = Buffer.alloc(
  64 * 1024,
  Uint8Array.from({ length: 256 }, (_, index) => index),
);

interface Answer {
  status: number;
  /** Sent as JSON, or unchanged if it is a file. */
  body?: unknown;
  headers?: Record<string, string>;
}

class Refusal extends Error {
  readonly answer: Answer;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.answer = { status, headers, body: { error: { code, message } } };
  }
}

/**
 * Starts it on a free port of this machine.
 *
 * @returns its URL. It does not keep the process alive.
 */
export async function startSample(): Promise<string> {
  const answer = createService();
  const server = createServer(async (request, response) => {
    const { status, body, headers } = await answer(request).catch((error: unknown): Answer => {
      if (error instanceof Refusal) return error.answer;
      return { status: 500, body: { error: { code: 'E-500', message: 'Something went wrong.' } } };
    });
    const content = body === undefined || body instanceof Buffer ? body : JSON.stringify(body);
    response.writeHead(status, {
      ...(content === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    });
    response.end(content);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function createService(): (request: IncomingMessage) => Promise<Answer> {
  const tokens = new Set<string>();
  const tasks = Array.from({ length: 120 }, (_, index) => ({
    id: index + 1,
    title: `Task ${index + 1}`,
    done: index % 3 === 0,
    changed: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
  }));
  const quota = { used: 0, endsAt: 0 };

  function takeFromQuota(): void {
    const now = performance.now();
    if (now >= quota.endsAt) Object.assign(quota, { used: 0, endsAt: now + limit.windowMs });
    quota.used += 1;
    if (quota.used <= limit.requests) return;
    const seconds = Math.ceil((quota.endsAt - now) / 1000);
    throw new Refusal(429, 'TOO_MANY_REQUESTS', `Slow down for ${seconds} s.`, { 'retry-after': String(seconds) });
  }

  async function logIn(request: IncomingMessage): Promise<Answer> {
    const { user, password } = await readJson(request);
    if (user !== sampleAccount.user || password !== sampleAccount.password) {
      throw new Refusal(401, 'WRONG_PASSWORD', 'Wrong user or password.');
    }
    const token = randomUUID();
    tokens.add(token);
    return { status: 200, body: { token } };
  }

  function list(query: URLSearchParams): Answer {
    const page = Number(query.get('page') ?? 1);
    const since = Date.parse(query.get('changed_since') ?? '1970-01-01T00:00:00Z');
    const found = tasks
      .filter(({ changed }) => Date.parse(changed) >= since)
      .sort((a, b) => Date.parse(a.changed) - Date.parse(b.changed) || a.id - b.id);
    const nextPage = found.length > page * pageSize ? page + 1 : null;
    return { status: 200, body: { tasks: found.slice((page - 1) * pageSize, page * pageSize), nextPage } };
  }

  async function create(request: IncomingMessage): Promise<Answer> {
    const { title } = await readJson(request);
    if (typeof title !== 'string' || title === '') throw new Refusal(422, 'TITLE_MISSING', 'A task needs a title.');
    const task = { id: tasks.length + 1, title, done: false, changed: new Date().toISOString() };
    tasks.push(task);
    return { status: 201, body: task };
  }

  function get(id: string): Answer {
    if (id === 'confidential') throw new Refusal(403, 'NOT_YOURS', 'This task is for its owner only.');
    if (id === 'archived') throw new Refusal(503, 'ARCHIVE_DOWN', 'The archive does not answer.');
    const task = tasks.find((candidate) => String(candidate.id) === id);
    if (task === undefined) throw new Refusal(404, 'TASK_NOT_FOUND', `There is no task ${id}.`);
    return { status: 200, body: task };
  }

  async function update(id: string, request: IncomingMessage): Promise<Answer> {
    const task = get(id).body as (typeof tasks)[number];
    const { title, done } = await readJson(request);
    if (typeof title !== 'string' || title === '') throw new Refusal(422, 'TITLE_MISSING', 'A task needs a title.');
    const changed = new Date().toISOString();
    return { status: 200, body: Object.assign(task, { title, done: done === true, changed }) };
  }

  function getFile(id: string): Answer {
    get(id);
    return { status: 200, body: file, headers: { 'content-type': 'image/png', 'content-length': String(file.length) } };
  }

  return async (request) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://sample');
    const route = `${request.method} ${pathname}`;
    if (route === 'POST /login') return logIn(request);

    const token = request.headers.authorization?.replace(/^Bearer /, '') ?? '';
    if (!tokens.has(token)) throw new Refusal(401, 'TOKEN_EXPIRED', 'Log in first.');
    if (route === 'DELETE /login') {
      tokens.delete(token);
      return { status: 204 };
    }
    takeFromQuota();
    if (route === 'GET /tasks') return list(searchParams);
    if (route === 'POST /tasks') return create(request);
    const [, updated] = /^PUT \/tasks\/([^/]+)$/.exec(route) ?? [];
    if (updated !== undefined) return update(decodeURIComponent(updated), request);
    const [, id, part] = /^GET \/tasks\/([^/]+)(\/file)?$/.exec(route) ?? [];
    if (id !== undefined) return part === undefined ? get(decodeURIComponent(id)) : getFile(decodeURIComponent(id));
    throw new Refusal(404, 'NO_SUCH_PATH', `There is nothing at ${pathname}.`);
  };
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  try {
    return Object(JSON.parse(await text(request)));
  } catch {
    throw new Refusal(400, 'NOT_JSON', 'The body is not JSON.');
  }
}
