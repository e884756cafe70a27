import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFailureThrottle } from 'concordat/api-keys';
import { expect, it, onTestFinished } from 'vitest';
import { type AdminHost, type Answer, basic, inDays, password, startAdmin } from './helpers/admin-host.js';
import { accept, beginSession, connectMcp, openStream } from './helpers/mcp.js';

/** Everything of a key's value that is secret: any twelve characters of it in a row would be too much. */
function fragments(key: string): string[] {
  const secret = key.slice(key.lastIndexOf('_') + 1);
  return Array.from({ length: secret.length - 11 }, (_, index) => secret.slice(index, index + 12));
}

const findIn = (text: string, key: string) => fragments(key).filter((fragment) => text.includes(fragment));

/** Presents a key in every way there is, good, bad and absurd. */
async function useEverywhere(host: AdminHost, id: string, key: string): Promise<Answer[]> {
  const changed = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
  const credentials: (readonly string[])[] = [
    ['x-api-key', key],
    ['authorization', `ApiKey ${key}`],
    ['x-api-key', changed],
    ['x-api-key', `${key}, ${key}`],
    ['x-api-key', key, 'x-api-key', key],
    ['authorization', `Bearer ${key}`],
    ['authorization', key],
    basic('alice', key),
    ['cookie', `session=${key}`],
  ];
  const answers: Answer[] = [];
  const paths = [
    '/api/v1/me',
    '/api/v1/api-keys',
    `/api/v1/api-keys/${id}`,
    '/api/v1/audits',
    '/api/v1/nothing',
    '/mcp',
  ];
  for (const headers of credentials) {
    for (const place of paths) answers.push(await host.send({ path: place, headers }));
  }
  answers.push(await host.send({ path: '/api/v1/me', headers: basic(key) }));
  for (const [method, place, body] of [
    ['GET', `/api/v1/api-keys/${key}`],
    ['GET', `/api/v1/api-keys?search=${key}`],
    ['GET', `/api/v1/api-keys?cursor=${key}`],
    ['GET', `/api/v1/api-keys?sort=${key}`],
    ['GET', `/api/v1/audits?apiKeyId=${key}`],
    ['GET', `/api/v1/me?x-api-key=${key}`],
    ['POST', `/api/v1/api-keys/${key}/revoke`],
    ['POST', '/api/v1/api-keys', { name: `Bad \0 ${key}`, expiresOn: key, key }],
    ['POST', '/api/v1/api-keys', { name: 'Taken', expiresOn: inDays(9), key, id: key }],
    ['PATCH', `/api/v1/api-keys/${id}`, { name: 'Renamed', version: key }],
    ['PATCH', `/api/v1/api-keys/${id}`, `{"name": ${key}`],
    ['PUT', '/api/v1/me', { key }],
  ] as const) {
    const headers = ['x-api-key', key];
    answers.push(await host.send({ method, path: place, headers, ...(body !== undefined && { body }) }));
  }
  const mcp = ['x-api-key', key, ...accept];
  for (const [headers, body] of [
    [mcp, `{"broken": ${key}`],
    [mcp, { jsonrpc: '2.0', id: key, method: key }],
    [[...mcp, 'mcp-session-id', key], { jsonrpc: '2.0', id: 1, method: 'ping' }],
    [[...mcp, 'host', 'evil.example'], {}],
    [[...mcp, 'origin', 'https://evil.example'], {}],
  ] as const) {
    answers.push(await host.send({ method: 'POST', path: '/mcp', headers, body }));
  }
  return answers;
}

it("a key's value is in the one answer to create, and nowhere else: answers, hooks, audits, database", async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'concordat-canary-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const seenByTool: unknown[] = [];
  const host = await startAdmin({
    keys: { database: path.join(directory, 'keys.db') },
    admin: {
      // So that a wait does not hide the rest.
      throttle: createFailureThrottle({ freeFailures: 10_000 }),
      mcpTools: [
        {
          name: 'look',
          description: 'Looks at all it gets.',
          handler(input, call) {
            seenByTool.push(input, call.actor, call.user, Object.keys(call));
            throw new Error('look failed');
          },
        },
      ],
    },
  });
  await host.key('u-bob', 'Taken');
  const created = await host.as('alice', 'POST', '/api-keys', { name: 'Canary', expiresOn: inDays(300) });
  const { id, key } = created.body;
  expect(created.text.split(key)).toHaveLength(2);
  expect(JSON.stringify(created.headers)).not.toContain(key);

  const answers = await useEverywhere(host, id, key);
  const agent = await connectMcp(host, key);
  const messages: unknown[] = [await agent.failure('look', {}), await agent.call('list_api_keys')];
  const made = await agent.call('create_api_key', { name: 'Second canary', expiresOn: inDays(300) });
  messages.push(await agent.failure('get_api_key', { id: made.key }));
  messages.push(await agent.call('list_api_key_audits'));
  answers.push(...(await useEverywhere(host, made.id, made.key)));
  const stream = await openStream(host, ['x-api-key', key], await beginSession(host, ['x-api-key', key]));
  for (const revoked of [made.id, id]) await host.as('alice', 'POST', `/api-keys/${revoked}/revoke`);
  await stream.ended;
  answers.push(...(await useEverywhere(host, id, key)));
  answers.push(await host.as('root', 'GET', '/audits?limit=200'), await host.as('root', 'GET', '/api-keys?scope=all'));
  const hooks = JSON.stringify([
    host.failures,
    host.accesses,
    host.errors.map((error) => [String(error), (error as Error).stack]),
  ]);
  await host.apiKeys.close();

  // What was sent was really looked at: good answers, refusals of several sorts, and hooks.
  const statuses = new Set(answers.map(({ status }) => status));
  expect([...statuses].sort()).toEqual([200, 400, 401, 403, 404, 405]);
  expect(hooks).toContain(id);
  expect(hooks).toContain('look failed');
  expect(hooks).toContain('list_api_keys');
  expect(seenByTool).toHaveLength(4);

  const files = await readdir(directory);
  const database = (await Promise.all(files.map((file) => readFile(path.join(directory, file), 'latin1')))).join();
  expect(database).toContain(id);
  expect(database).toContain('Second canary');
  for (const canary of [key, made.key]) {
    for (const { text, headers } of answers) expect(findIn(text + JSON.stringify(headers), canary)).toEqual([]);
    expect(findIn(JSON.stringify(messages), canary)).toEqual([]);
    expect(findIn(JSON.stringify(seenByTool), canary)).toEqual([]);
    expect(findIn(stream.text, canary)).toEqual([]);
    expect(findIn(hooks, canary)).toEqual([]);
    expect(findIn(database, canary)).toEqual([]);
    expect(findIn(`…${canary}…`, canary)).not.toEqual([]);
  }
  expect(hooks + database + answers.map(({ text }) => text).join()).not.toContain(password);
});
