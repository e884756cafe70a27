// What strangers send costs time that grows with its size, and no faster (E8). Every reader gets growing input, in shapes that
// patterns stumble over, and is compared with itself; the readers of waits are in test/regressions/0004-quadratic-time.long.test.ts.
import { parseErrorPayload } from 'concordat';
import { openApiKeys, verifyPassword } from 'concordat/api-keys';
import { createConnectorClient } from 'concordat/client';
import { createConnector } from 'concordat/connector';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { parseQuota } from '../../src/contract/index.js';
import { asShown, foldForSearch } from '../../src/internal/index.js';
import { startAdmin } from '../admin/helpers/admin-host.js';
import { cheapHash } from '../helpers/cheap-hash.js';
import { controlShape, headerText, quadraticShape, quietly } from '../helpers/growth.js';

vi.setConfig({ testTimeout: 120_000 }); // the work is bounded, and not how long a busy machine takes for it

it('a quadratic reader is found (control)', async () => {
  expect(await controlShape()).toMatch(/ times$/);
});

it('the time to read an error body grows with its length at most (E6, E8)', async () => {
  const read = (text: string) => {
    parseErrorPayload(text);
    parseErrorPayload(JSON.stringify({ errors: { code: text, message: text, detail: text } }));
    parseErrorPayload({ errors: [{ code: text, message: `${text}x`, detail: [text] }] });
  };
  expect(await quadraticShape(read)).toBeUndefined();
});

it('the time to read an announced quota grows with its length at most (W8, E8)', async () => {
  // Whole, which is refused for its length, and cut to the most that is looked into.
  const read = (text: string) => {
    for (const value of [text, text.slice(-1024), `"a";q=${text}`.slice(0, 1024)])
      parseQuota({ policy: value, current: value });
  };
  expect(await quadraticShape(read)).toBeUndefined();
});

describe('the time in which the client reads an answer grows with its size at most (E8)', () => {
  /** A client whose connector is a function: sockets would cost more than what is measured. */
  function clientOf(answer: (path: string) => Response) {
    const client = createConnectorClient({
      baseUrl: 'http://connector.invalid',
      initialize: { parameters: {} },
      retry: { retries: 0 },
      loginCooldownMs: 0,
      rateLimit: { onLimit: 'reject' },
      fetch: async (input) => answer(new URL(String(input)).pathname),
    });
    return client;
  }
  const session = () => Response.json({ 'x-session': 'a-session-of-the-test' });
  const errorOf = (text: string, init: ResponseInit) =>
    Response.json({ errors: { code: text, message: `${text} a-session-of-the-test`, detail: text } }, init);

  const answers: [string, (text: string) => Response][] = [
    ['errors', (text) => errorOf(text, { status: 400 })],
    ['errors that are no JSON', (text) => new Response(text, { status: 400 })],
    ['waits', (text) => errorOf('x', { status: 403, headers: { 'retry-after': headerText(text) } })],
    [
      'announced quotas',
      (text) => Response.json({}, { headers: { 'ratelimit-policy': headerText(text), ratelimit: headerText(text) } }),
    ],
    ['redirects', (text) => new Response(null, { status: 302, headers: { location: headerText(text) } })],
    ['content types', (text) => new Response('{}', { headers: { 'content-type': headerText(text) } })],
    ['JSON', (text) => new Response(text, { headers: { 'content-type': 'application/json' } })],
  ];

  it.each(answers)('%s', async (_name, answer) => {
    const read = quietly(async (text) => {
      const client = clientOf((path) => (path === '/initialize' ? session() : answer(text)));
      await client.get('/items').finally(() => client.close());
    });
    expect(await quadraticShape(read)).toBeUndefined();
  });

  it('session answers', async () => {
    const read = quietly(async (text) => {
      for (const login of [
        text,
        JSON.stringify({ [text]: text }),
        JSON.stringify([{ key: 'x', value: headerText(text) }]),
      ]) {
        const client = clientOf((path) => (path === '/initialize' ? new Response(login) : Response.json({})));
        await client.get('/items').catch(() => {});
        await client.close();
      }
    });
    expect(await quadraticShape(read)).toBeUndefined();
  });

  it('paths', async () => {
    const client = clientOf((path) => (path === '/initialize' ? session() : Response.json({})));
    onTestFinished(() => client.close());
    expect(await quadraticShape(quietly((text) => client.get(`/${text}`)))).toBeUndefined();
  });
});

describe('the time in which a connector reads a request grows with its size at most (E8)', () => {
  const connector = createConnector({
    initialize: { parameters: z.object({ user: z.string().max(5) }), handler: () => ({ 'x-session': 'a' }) },
    session: z.object({ 'x-session': z.string() }),
  });
  connector.get('/echo', (c) => {
    throw new Error(c.get('session')['x-session']);
  });

  it('logins and sessions', async () => {
    const read = async (text: string) => {
      await connector.request('/initialize', { method: 'POST', body: text });
      await connector.request('/initialize', { method: 'POST', body: JSON.stringify({ user: text, [text]: text }) });
      const header = headerText(text);
      for (const name of ['x-session', 'authorization', 'cookie']) {
        await connector.request('/echo', { headers: { 'x-session': 'a', [name]: header } });
      }
    };
    expect(await quadraticShape(read)).toBeUndefined();
  });
});

/** Unicode's normal forms sort them by class. */
const marks = [
  { name: 'marks', of: (length: number) => `a${'\u0301'.repeat(length / 2)}${'\u0316'.repeat(length / 2)}` },
];

describe('the time in which the administration reads a request grows with its size at most (E8)', () => {
  let apiKeys: Awaited<ReturnType<typeof openApiKeys>>;
  const ada = { id: 'ada', username: 'ada' };
  const users = {
    findById: async (id: string) => (id === ada.id ? ada : undefined),
    findByUsername: async (name: string) => (name === ada.username ? ada : undefined),
  };
  beforeAll(async () => {
    apiKeys = await openApiKeys({ database: ':memory:', users, edition: 'Professional' });
  });
  afterAll(() => apiKeys.close());

  it('API keys', async () => {
    const read = async (text: string) => {
      await apiKeys.verify({ authorization: text });
      await apiKeys.verify({ 'x-api-key': text });
      await apiKeys.verify(['authorization', text, 'authorization', text]);
    };
    expect(await quadraticShape(read)).toBeUndefined();
  });

  it('cursors, searches and fields', async () => {
    const actor = { userId: ada.id, username: ada.username };
    const read = async (text: string) => {
      for (const query of [{ cursor: text }, { cursor: btoa(headerText(text)) }, { search: text }]) {
        await apiKeys.list(actor, query).catch(() => {});
      }
      await apiKeys.create(actor, { name: text, expiresOn: text }).catch(() => {});
      await apiKeys.create(actor, { name: '', description: text, expiresOn: text }).catch(() => {});
    };
    expect(await quadraticShape(read)).toBeUndefined();
    expect(await quadraticShape(read, 8_000, marks)).toBeUndefined();
  });

  it('passwords and names of users', async () => {
    const stored = cheapHash('correct');
    expect(await quadraticShape((text) => verifyPassword(text, stored), 8_000, marks)).toBeUndefined();
    expect(await quadraticShape((text) => asShown(text) + foldForSearch(text), 8_000, marks)).toBeUndefined();
  });

  it('credentials, host, origin, cookies and types of a request', async () => {
    const { admin } = await startAdmin();
    const names = ['authorization', 'x-api-key', 'host', 'origin', 'cookie', 'accept', 'content-type', 'if-none-match'];
    const read = async (text: string) => {
      const value = headerText(text);
      for (const name of names) {
        for (const path of ['/api/v1/api-keys', '/mcp', '/api-keys', '/assets/style.css']) {
          await admin.fetch(new Request(`http://127.0.0.1${path}`, { headers: { [name]: value } }));
        }
      }
      await admin.fetch(new Request(`http://127.0.0.1/sign-in?next=${encodeURIComponent(value)}`));
      await admin.fetch(new Request('http://127.0.0.1/sign-in', { method: 'POST', body: value }));
    };
    expect(await quadraticShape(read, 8_000)).toBeUndefined();
  });
});
