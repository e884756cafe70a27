import { parseErrorPayload } from 'concordat';
import { createConnectorClient } from 'concordat/client';
import { type RunningServer, serve } from 'concordat/connector';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedmineConnector } from '../../../examples/redmine/connector.js';
import { until } from '../../helpers/until.js';
import {
  bare503,
  fileContent,
  firstKey,
  limited,
  password,
  RecordedRedmine,
  unauthorizedAnswer,
} from './recorded-redmine.js';

let redmine: RecordedRedmine;
let connector: RunningServer;
const defects: unknown[] = [];

beforeEach(async () => {
  redmine = await RecordedRedmine.start();
  connector = await serve(
    createRedmineConnector({ url: `${redmine.url}/`, onDefect: (error) => defects.push(error) }),
    { port: 0 },
  );
});
afterEach(async () => {
  await connector.close();
  await redmine.close();
  expect(defects.splice(0)).toEqual([]);
});

const login = { username: 'sync', password: 'the password of sync', project: 'helpdesk' };

function initialize(changes: Record<string, string> = {}): Promise<Response> {
  const parameters = Object.entries({ ...login, ...changes });
  return fetch(`${connector.url}/initialize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(parameters.map(([key, value]) => ({ key, value, sensitive: key === 'password' }))),
  });
}

async function session(): Promise<Record<string, string>> {
  const response = await initialize();
  expect(response.status).toBe(200);
  const entries = (await response.json()) as { key: string; value: string }[];
  return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
}

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(await session()), ...init.headers };
  redmine.seen.length = 0;
  return fetch(connector.url + path, { ...init, headers });
}

const errorOf = async (response: Response) => parseErrorPayload(await response.json())?.errors;

describe('the Redmine connector', () => {
  it("hands out the user's API key of now, marked as a secret, and never the password (S1)", async () => {
    const response = await initialize();
    expect(await response.json()).toEqual([
      { key: 'x-redmine-project', value: '1', sensitive: false },
      { key: 'x-redmine-key', value: firstKey, sensitive: true },
    ]);
    redmine.key = 'f'.repeat(40);
    expect(await (await initialize()).text()).toContain('f'.repeat(40));
  });

  it('answers a wrong password with a 401, and an unknown project with a 404, without the password (E5)', async () => {
    const refused = await initialize({ password: 'a wrong password' });
    expect(refused.status).toBe(401);
    expect(await refused.text()).not.toContain('a wrong password');
    expect((await initialize({ project: 'nowhere' })).status).toBe(404);
    expect((await initialize({ project: '../users' })).status).toBe(400);
  });

  it('lists closed issues too, with the line ends of the web made plain', async () => {
    const response = await call('/issues');
    expect(await response.json()).toEqual({
      items: [
        {
          number: 1,
          title: 'Größe 💥',
          body: 'a\nb\n\n<!-- concordat:source=acme/support#7 -->',
          state: 'closed',
          status: 'Closed',
          tracker: 'Bug',
          author: 'Concordat Sync',
          assignee: null,
          createdAt: '2026-11-21T12:07:21Z',
          updatedAt: '2026-11-21T12:07:22Z',
          url: `${redmine.url}/issues/1`,
        },
      ],
      nextCursor: null,
    });
    expect(new URL(redmine.seen[0]?.path ?? '', redmine.url).searchParams.get('status_id')).toBe('*');
  });

  it('goes on after the last number, so that no issue slips over the edge of a page', async () => {
    redmine.issueCount = 205;
    const numbers: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: { items: { number: number }[]; nextCursor: string | null } = await (
        await call(`/issues${cursor && `?cursor=${cursor}`}`)
      ).json();
      numbers.push(...page.items.map(({ number }) => number));
      cursor = page.nextCursor;
    }
    expect(numbers).toEqual(Array.from({ length: 205 }, (_, index) => index + 1));
  });

  it('asks for issues since a time in the whole seconds that Redmine knows, rounded down', async () => {
    expect((await call('/issues?updatedSince=2026-11-21T13:07:22.987%2B01:00')).status).toBe(200);
    const { searchParams } = new URL(redmine.seen[0]?.path ?? '', redmine.url);
    expect(searchParams.get('updated_on')).toBe('>=2026-11-21T12:07:22Z');
    expect(searchParams.get('sort')).toBe('id');
  });

  it('gives comments without changes of fields and without private notes, and attachments', async () => {
    const issue = await (await call('/issues/1')).json();
    expect(issue.comments).toEqual([
      { id: 1, body: 'note\nchanged', author: 'Concordat Sync', createdAt: '2026-11-21T12:07:21Z' },
    ]);
    expect(issue.attachments).toMatchObject([{ id: 7, filename: 'a b – ü.bin', bytes: 512 }]);
    expect(await (await call('/issues/1/comments')).json()).toEqual(issue.comments);
    expect(await (await call('/issues/1/attachments')).json()).toEqual(issue.attachments);
  });

  it('creates an issue in its project', async () => {
    const created = await call('/issues', { method: 'POST', body: JSON.stringify({ title: ' T ', body: 'x\ny' }) });
    expect(created.status).toBe(201);
    expect(await created.json()).toMatchObject({ number: 4, title: 'T', body: 'x\ny', state: 'open' });
    expect(JSON.parse(String(redmine.writes[0]?.body))).toEqual({
      issue: { project_id: 1, subject: 'T', description: 'x\ny' },
    });
  });

  it.each([
    [{ state: 'open' }, { status_id: 1 }],
    [{ state: 'closed', title: 'T' }, { subject: 'T' }],
    [{ body: '' }, { description: '' }],
  ])('changes %j as %j', async (changes, issue) => {
    expect((await call('/issues/1', { method: 'PATCH', body: JSON.stringify(changes) })).status).toBe(204);
    expect(redmine.writes.map(({ body }) => JSON.parse(String(body)))).toEqual([{ issue }]);
  });

  it('writes a comment as a note, and changes it', async () => {
    const body = JSON.stringify({ body: 'Größe' });
    expect((await call('/issues/1/comments', { method: 'POST', body })).status).toBe(204);
    expect(JSON.parse(String(redmine.writes[0]?.body))).toEqual({ issue: { notes: 'Größe' } });
    expect((await call('/comments/1', { method: 'PATCH', body })).status).toBe(204);
    expect(JSON.parse(String(redmine.writes[0]?.body))).toEqual({ journal: { notes: 'Größe' } });
  });

  it('uploads and downloads every byte there is, and names the file', async () => {
    const uploaded = await call('/issues/1/attachments?filename=a%20b.bin&description=the%20bytes', {
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: fileContent,
    });
    expect(uploaded.status).toBe(204);
    const [upload, attach] = redmine.writes;
    expect(upload).toMatchObject({ path: '/uploads.json?filename=a+b.bin', body: fileContent });
    expect(JSON.parse(String(attach?.body)).issue.uploads).toEqual([
      { token: '7.77cb6bea091ff250', filename: 'a b.bin', description: 'the bytes', content_type: 'image/png' },
    ]);
    const downloaded = await call('/attachments/7');
    expect(downloaded.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''a%20b%20%E2%80%93%20%C3%BC.bin",
    );
    expect(downloaded.headers.get('content-length')).toBe('512');
    expect(Buffer.from(await downloaded.arrayBuffer()).equals(fileContent)).toBe(true);
  });

  it('passes an upload on while it arrives (D2)', async () => {
    const arrived = new Promise<void>((resolve) => {
      redmine.onChunk = () => resolve();
    });
    const parts = [fileContent.subarray(0, 100), fileContent.subarray(100)];
    const body = new ReadableStream({
      async pull(controller) {
        if (parts.length === 1) await arrived;
        controller.enqueue(parts.shift());
        if (parts.length === 0) controller.close();
      },
    });
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    expect((await call('/issues/1/attachments?filename=x', init)).status).toBe(204);
    expect(redmine.writes[0]?.body.equals(fileContent)).toBe(true);
  });

  it('says how long an upload is where it knows', async () => {
    await call('/issues/1/attachments?filename=x', { method: 'POST', body: fileContent });
    expect(redmine.writes[0]?.headers['content-length']).toBe('512');
  });

  it('passes a download on while it arrives, and is never shorter than Redmine says (D2)', async () => {
    let breakOff = () => {};
    redmine.sendFile = (response) => {
      response.write(fileContent.subarray(0, 100));
      breakOff = () => response.destroy();
    };
    const reader = (await call('/attachments/7')).body?.getReader();
    expect((await reader?.read())?.value).toHaveLength(100);
    breakOff();
    await expect(reader?.read()).rejects.toThrow();
    await until(() => defects.length > 0);
    expect(defects.splice(0)).toEqual([expect.objectContaining({ message: 'terminated' })]);
  });

  it('takes a file of more than Redmine is set to take, and passes its refusal on (E3)', async () => {
    redmine.next.shift = () =>
      redmine.seen.at(-1)?.path.startsWith('/uploads')
        ? [422, { 'content-type': 'application/json' }, '{"errors":["This file cannot be uploaded"]}']
        : undefined;
    const body = Buffer.alloc(6 * 1024 * 1024);
    const response = await call('/issues/1/attachments?filename=x', { method: 'POST', body });
    expect(response.status).toBe(400);
    expect((await errorOf(response))?.message).toContain('This file cannot be uploaded');
    expect(redmine.writes).toHaveLength(1);
  });

  it('knows who it is, and the people of its project', async () => {
    expect(await (await call('/users/me')).json()).toEqual({ id: 6, login: 'sync', name: 'Concordat Sync' });
    expect(await (await call('/users')).json()).toEqual([{ id: 6, name: 'Concordat Sync' }]);
  });

  it.each([
    ['GET', '/issues/2', undefined, 403, 'FORBIDDEN'],
    ['GET', '/issues/99', undefined, 404, 'NOT_FOUND'],
    ['GET', '/issues/3', undefined, 404, 'OTHER_PROJECT'],
    ['POST', '/issues/3/comments', '{"body":"x"}', 404, 'OTHER_PROJECT'],
    ['GET', '/nowhere', undefined, 404, 'NOT_FOUND'],
    ['POST', '/issues', '{"title":""}', 400, 'BAD_REQUEST'],
    ['POST', '/issues', '{"title":', 400, 'BAD_REQUEST'],
    ['PATCH', '/issues/1', '{}', 400, 'BAD_REQUEST'],
    ['POST', '/issues/1/attachments?filename=a/b', 'x', 400, 'BAD_REQUEST'],
    ['POST', `/issues/1/attachments?filename=a&description=${'x'.repeat(256)}`, 'x', 400, 'BAD_REQUEST'],
  ])('answers %s %s with body %s with %i %s (E2)', async (method, path, body, status, code) => {
    const response = await call(path, { method, ...(body === undefined ? {} : { body }) });
    expect(response.status).toBe(status);
    expect(response.headers.has('retry-after')).toBe(false);
    expect((await errorOf(response))?.code).toBe(code);
    expect(redmine.writes).toEqual([]);
  });

  it("passes on why Redmine refuses an issue: its 422 is the contract's 400 (E3)", async () => {
    const response = await call('/issues', { method: 'POST', body: JSON.stringify({ title: 'x'.repeat(300) }) });
    expect(response.status).toBe(400);
    expect((await errorOf(response))?.message).toContain('Subject is too long (maximum is 255 characters)');
  });

  it("answers nginx's 429 with a 403 and its wait, and nginx's bare 503 with a 503 without one (W2)", async () => {
    const headers = await session();
    redmine.next.push(limited);
    const refused = await fetch(`${connector.url}/issues`, { headers });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([403, '2']);
    redmine.next.push(bare503);
    const failed = await fetch(`${connector.url}/issues`, { headers });
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, null]);
    expect((await errorOf(failed))?.code).toBe('CONNECTOR_ERROR');
    expect((await fetch(`${connector.url}/issues`, { headers })).status).toBe(200);
  });

  it('is logged in to again by the service when the key has been reset, with the new key (S4)', async () => {
    await using client = createConnectorClient({ baseUrl: connector.url, initialize: { parameters: login } });
    await client.get('/issues');
    redmine.key = 'e'.repeat(40);
    const before = redmine.seen.length;
    expect(await client.get('/users/me')).toMatchObject({ login: 'sync' });
    const keys = redmine.seen.slice(before).map(({ headers }) => headers['x-redmine-api-key']);
    expect(keys).toEqual([firstKey, undefined, undefined, 'e'.repeat(40)]);
    expect(client.status.counters.logins).toBe(2);
  });

  // To the service a 401 or a limit means that nothing has been done, and it sends the request again (G7).
  it.each([
    ['a comment', '/issues/1/comments', { json: { body: 'once' } }, 1],
    ['an attachment', '/issues/1/attachments?filename=x', { body: 'x' }, 2],
    ['an issue', '/issues', { json: { title: 'once' } }, 1],
  ])(
    'writes %s in its last call, so a 401 before it leaves nothing behind twice',
    async (_what, path, options, calls) => {
      await using client = createConnectorClient({ baseUrl: connector.url, initialize: { parameters: login } });
      await client.get('/users/me');
      redmine.seen.length = 0;
      await client.post(path, options);
      const all = redmine.seen.length;
      expect(redmine.seen.at(-1)?.method).not.toBe('GET');
      expect(redmine.writes).toHaveLength(calls);
      for (let refused = 0; refused < all; refused++) {
        redmine.seen.length = 0;
        let count = 0;
        const { shift } = redmine.next;
        redmine.next.shift = () => (count++ === refused ? unauthorizedAnswer : undefined);
        await client.post(path, options);
        redmine.next.shift = shift;
        // What took effect is the last call, and only one of those got through.
        const last = redmine.seen.at(-1);
        const same = redmine.seen.filter((seen) => seen.method === last?.method && seen.path === last.path);
        expect(same).toHaveLength(refused === all - 1 ? 2 : 1);
      }
    },
  );

  it('refuses an address that is none when it is made', () => {
    expect(() => createRedmineConnector({ url: 'redmine.example.net' })).toThrow('Invalid URL');
    expect(password).toBe(login.password);
  });
});
