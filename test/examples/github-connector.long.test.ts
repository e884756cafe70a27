import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parseErrorPayload } from 'concordat';
import { type RunningServer, serve } from 'concordat/connector';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createGitHubConnector, type GitHubConnectorOptions } from '../../examples/github/connector.js';
import { Repository } from '../../examples/github/repository.js';
import { type EmulatedGitHub, startEmulatedGitHub } from '../../examples/service/emulated-github.js';

const running: RunningServer[] = [];
let github: EmulatedGitHub;

beforeAll(async () => {
  github = await startEmulatedGitHub(103);
});
afterAll(() => github.close());
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function start(options: GitHubConnectorOptions = {}) {
  const server = await serve(createGitHubConnector(options), { port: 0 });
  running.push(server);
  return (path: string, init: RequestInit = {}) =>
    fetch(server.url + path, { ...init, headers: { 'content-type': 'application/json', ...init.headers } });
}

type Call = Awaited<ReturnType<typeof start>>;

const initialize = (call: Call, changes: Record<string, string> = {}) =>
  call('/initialize', {
    method: 'POST',
    body: JSON.stringify(
      Object.entries({ baseUrl: github.apiUrl, token: 'secret-token', repository: github.source, ...changes }).map(
        ([key, value]) => ({ key, value, sensitive: key === 'token' }),
      ),
    ),
  });

async function logIn(call: Call, changes?: Record<string, string>) {
  const response = await initialize(call, changes);
  expect(response.status).toBe(200);
  const session = (await response.json()) as { key: string; value: string; sensitive: boolean }[];
  return { session, headers: Object.fromEntries(session.map(({ key, value }) => [key, value])) };
}

const codeOf = async (response: Response) => parseErrorPayload(await response.json())?.errors.code;

/** A GitHub that answers one thing to everything below a repository. */
async function oddGitHub(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  running.push({ close } as RunningServer);
  return `http://127.0.0.1:${port}`;
}

describe('the GitHub connector', () => {
  it('hands out a session that is sensitive and does not hold the token', async () => {
    const { session } = await logIn(await start());
    expect(session).toEqual([{ key: 'x-github-session', value: expect.any(String), sensitive: true }]);
    expect(JSON.stringify(session)).not.toContain('secret-token');
  });

  it('lists all issues page by page, open and closed, oldest first', async () => {
    const call = await start();
    const { headers } = await logIn(call);
    const first = await (await call('/issues', { headers })).json();
    const cursor = encodeURIComponent(first.nextCursor);
    const second = await (await call(`/issues?cursor=${cursor}`, { headers })).json();
    expect(second.nextCursor).toBeNull();
    const issues = [...first.items, ...second.items];
    expect(new Set(issues.map(({ number }: { number: number }) => number)).size).toBe(103);
    expect(new Set(issues.map(({ state }: { state: string }) => state))).toEqual(new Set(['open', 'closed']));
    expect(Object.keys(first.items[0])).toEqual(['number', 'title', 'body', 'state', 'labels', 'updatedAt', 'url']);
  });

  it('creates, reads and changes an issue', async () => {
    const call = await start();
    const { headers } = await logIn(call, { repository: github.target });
    const body = JSON.stringify({ title: 'Größe 💥', body: 'text', labels: ['bug'] });
    const created = await call('/issues', { method: 'POST', headers, body });
    expect(created.status).toBe(201);
    const { number } = await created.json();
    const before = new Date(Date.now() - 60_000).toISOString();
    await call(`/issues/${number}`, { method: 'PATCH', headers, body: JSON.stringify({ state: 'closed' }) });
    const issue = { number, title: 'Größe 💥', body: 'text', labels: ['bug'], state: 'closed' };
    expect(await (await call(`/issues/${number}`, { headers })).json()).toMatchObject(issue);
    const recent = await (await call(`/issues?updatedSince=${before}`, { headers })).json();
    expect(recent.items).toMatchObject([issue]);
    const future = new Date(Date.now() + 60_000).toISOString();
    expect(await (await call(`/issues?updatedSince=${future}`, { headers })).json()).toEqual({
      items: [],
      nextCursor: null,
    });
  });

  it('writes, changes and lists comments', async () => {
    const call = await start();
    const { headers } = await logIn(call, { repository: github.target });
    const issue = { method: 'POST', headers, body: JSON.stringify({ title: 'With comments' }) };
    const { number } = await (await call('/issues', issue)).json();
    const path = `/issues/${number}/comments`;
    const list = async () => (await call(path, { headers })).json();
    expect(await list()).toEqual([]);
    for (const body of ['first', 'second']) {
      expect((await call(path, { method: 'POST', headers, body: JSON.stringify({ body }) })).status).toBe(204);
    }
    const [first, second] = await list();
    const change = { method: 'PATCH', headers, body: JSON.stringify({ body: 'first, but better' }) };
    expect((await call(`/comments/${first.id}`, change)).status).toBe(204);
    expect(await list()).toEqual([{ id: first.id, body: 'first, but better' }, second]);
    expect(second.body).toBe('second');
  });

  it("passes GitHub's message on with a 404 (E3)", async () => {
    const call = await start();
    const { headers } = await logIn(call);
    const response = await call('/issues/999999', { headers });
    expect(response.status).toBe(404);
    expect(parseErrorPayload(await response.json())?.errors.message).toContain('Not Found');
    expect((await initialize(call, { repository: 'acme/nowhere' })).status).toBe(404);
  });

  it.each([
    ['POST', '/issues', '{"title":""}', 'title'],
    ['POST', '/issues', '{"title":"x","color":"red"}', 'color'],
    ['POST', '/issues', '{"title":', 'JSON'],
    ['PATCH', '/issues/1', '{}', 'nothing to change'],
    ['POST', '/issues/1/comments', '{"body":" "}', 'blank'],
    ['GET', '/issues?updatedSince=yesterday', undefined, 'updatedSince'],
    ['GET', '/issues?cursor=per_page%3D1', undefined, 'cursor'],
  ])('answers %s %s with body %s with a 400 that names what is wrong', async (method, path, body, named) => {
    const call = await start();
    const { headers } = await logIn(call);
    const response = await call(path, { method, headers, ...(body === undefined ? {} : { body }) });
    expect(response.status).toBe(400);
    expect(parseErrorPayload(await response.json())?.errors.message).toContain(named);
  });

  it('ends a session when its time is over and when the service cleans up', async () => {
    const shortLived = await start({ sessionMs: 1 });
    const short = await logIn(shortLived);
    await new Promise((resolve) => setTimeout(resolve, 3));
    expect((await shortLived('/issues/1', { headers: short.headers })).status).toBe(401);

    const call = await start();
    const { headers } = await logIn(call);
    expect((await call('/issues/1', { headers })).status).toBe(200);
    expect((await call('/cleanup', { method: 'POST', headers })).status).toBe(204);
    expect((await call('/issues/1', { headers })).status).toBe(401);
    expect((await call('/issues/1', { headers: { 'x-github-session': 'guessed' } })).status).toBe(401);
  });

  it('limits a connection and not a session, and says how long to wait (W2)', async () => {
    const call = await start({ quota: { requests: 2, windowMs: 20_000 } });
    for (let request = 0; request < 2; request++) {
      expect((await call('/issues/1', { headers: (await logIn(call)).headers })).status).toBe(200);
    }
    const refused = await call('/issues/1', { headers: (await logIn(call)).headers });
    expect(refused.status).toBe(403);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(18);
    expect(await codeOf(refused)).toBe('CONNECTOR_QUOTA');
    const other = await logIn(call, { repository: github.target });
    expect((await call('/issues', { headers: other.headers })).status).toBe(200);
  });

  it('counts for an account that does not hold the token', () => {
    const { account } = new Repository({ baseUrl: 'https://api.github.com', token: 'secret', repository: 'a/b' });
    expect(account).not.toContain('secret');
  });

  it('leaves out pull requests and follows nothing but the page of a link', async () => {
    const issue = { title: 't', body: null, state: 'open', labels: ['a', { name: 'b' }], updated_at: '', html_url: '' };
    const baseUrl = await oddGitHub((_request, response) => {
      response.setHeader('link', '<http://evil.example/x?page=2&after=abc&per_page=1>; rel="next", <x>; rel="last"');
      response.end(
        JSON.stringify([
          { ...issue, number: 1 },
          { ...issue, number: 2, pull_request: {} },
        ]),
      );
    });
    const call = await start();
    const { headers } = await logIn(call, { baseUrl });
    expect(await (await call('/issues', { headers })).json()).toMatchObject({
      items: [{ number: 1, body: '', labels: ['a', 'b'] }],
      nextCursor: 'page=2&after=abc',
    });
  });

  it('answers a refused token with a 401 without the token, and a limit of GitHub with its wait (E5, W2)', async () => {
    const refusing = await oddGitHub((_request, response) => {
      response.writeHead(401).end('{"message":"Bad credentials"}');
    });
    const call = await start();
    const refused = await initialize(call, { baseUrl: refusing });
    const text = await refused.text();
    expect(refused.status).toBe(401);
    expect(text).toContain('Bad credentials');
    expect(text).not.toContain('secret-token');

    const limiting = await oddGitHub((_request, response) => {
      const reset = String(Math.floor(Date.now() / 1000) + 90);
      response.writeHead(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset });
      response.end('{"message":"API rate limit exceeded"}');
    });
    const limited = await initialize(call, { baseUrl: limiting });
    expect(limited.status).toBe(403);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(85);
  });
});
