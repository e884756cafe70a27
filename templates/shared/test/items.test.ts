import { createHash } from 'node:crypto';
import { createConnectorClient } from 'concordat/client';
import { afterAll, expect, test } from 'vitest';
import config from '../concordat.config.js';
import { start } from '../src/connector.js';
import type { Item } from '../src/end-system.js';

// The service's own client: it logs in, logs in again, and waits out rate limits.
const server = await start({ port: 0 });
const { parameters } = config.probes.initialize;
const client = createConnectorClient({ baseUrl: server.url, initialize: { parameters } });
afterAll(async () => {
  await client.close();
  await server.close();
});

test('all items are read, page by page', async () => {
  const first = (await client.get('/items')) as Page;
  const items = [...first.items, ...(await readAll(first.nextCursor))];
  expect(items.map(({ id }) => id)).toEqual(Array.from({ length: 120 }, (_, index) => String(index + 1)));
});

test('a new item can be read', async () => {
  const created = (await client.post('/items', { json: { title: 'Write a connector' } })) as Item;
  expect(await client.get(`/items/${created.id}`)).toEqual(created);
});

test('an item is changed as a whole, and twice is like once', async () => {
  const update = { title: 'Task three', done: true };
  const changed = (await client.put('/items/3', { json: update })) as Item;
  expect(changed).toMatchObject({ id: '3', ...update });
  expect(await client.put('/items/3', { json: update })).toMatchObject({ id: '3', ...update });
});

test('a list that changes while it is read loses no item', async () => {
  const first = (await client.get('/items')) as Page;
  // This one moves from the page that was read to the end of the list.
  const moved = first.items.find(({ title }) => title === 'Task 5') as Item;
  await client.put(`/items/${moved.id}`, { json: { title: moved.title, done: true } });
  const items = [...first.items, ...(await readAll(first.nextCursor))];
  const ids = items.map(({ id }) => id);
  expect(new Set(ids).size).toBe(items.length - 1);
  expect(ids.filter((id) => id === moved.id)).toHaveLength(2);
});

test('a cursor that is none is refused', async () => {
  await expect(client.get('/items', { query: { cursor: 'bm9uZQ' } })).rejects.toMatchObject({ kind: 'bad-request' });
});

test('an item that does not exist is a 404 with the code of the end system', async () => {
  await expect(client.get('/items/0')).rejects.toMatchObject({ kind: 'not-found', code: 'TASK_NOT_FOUND' });
});

test('a file arrives byte for byte, whole or as a stream', async () => {
  const { request, sha256 } = config.probes.file;
  const whole = (await client.get(request)) as Uint8Array;
  expect(createHash('sha256').update(whole).digest('hex')).toBe(sha256);
  const { headers, body } = await client.stream(request);
  expect(headers.get('content-length')).toBe(String(whole.length));
  const hash = createHash('sha256');
  for await (const chunk of body) hash.update(chunk);
  expect(hash.digest('hex')).toBe(sha256);
});

test('the file of an item that does not exist is a 404', async () => {
  await expect(client.get('/items/0/file')).rejects.toMatchObject({ kind: 'not-found', code: 'TASK_NOT_FOUND' });
});

test('the client waits out a rate limit and loses nothing', async () => {
  // On a slow machine only the second or third batch exceeds the sample's quota.
  while (client.status.counters.pauses === 0) {
    const reads = Array.from({ length: 60 }, () => client.get('/items/7'));
    expect(await Promise.all(reads)).toHaveLength(60);
  }
});

test('the health check needs no session', async () => {
  expect((await fetch(`${server.url}/health`)).status).toBe(200);
});

/** The items of the following pages. */
async function readAll(from: string | null): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor = from; cursor !== null; ) {
    const page = (await client.get('/items', { query: { cursor } })) as Page;
    items.push(...page.items);
    cursor = page.nextCursor;
  }
  return items;
}

interface Page {
  items: Item[];
  nextCursor: string | null;
}
