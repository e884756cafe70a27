// Each connector and each route has its own limit for bodies (rules D5 and E4).
import { limitBody } from 'concordat/connector';
import { onConnectorError } from 'concordat/connector/hono';
import { type Context, Hono, type Next } from 'hono';
import { describe, expect, test } from 'vitest';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const read = async (c: Context) => c.text(String((await c.req.arrayBuffer()).byteLength));

function small() {
  const connector = makeConnector({ maxBodyBytes: 1_000 });
  connector.post('/items', read);
  return connector as unknown as Hono;
}

const large = () => makeConnector() as unknown as Hono;

async function upload(app: Parameters<typeof start>[0], path: string, bytes: number): Promise<number[]> {
  const url = await start(app);
  const statuses: number[] = [];
  for (const chunked of [{}, { 'transfer-encoding': 'chunked' }]) {
    const headers = { ...withToken, ...chunked };
    statuses.push((await send(url, { method: 'POST', path, headers, body: 'x'.repeat(bytes) })).status);
  }
  return statuses;
}

describe('`maxBodyBytes` of a connector is lifted by no `limitBody` but its own (D5)', () => {
  const ways: Record<string, () => [app: Hono, path: string]> = {
    'of a connector around it': () => [large().use(limitBody(10_000)).route('/b', small()), '/b/items'],
    'of a connector around it that mounts it': () => [
      large().use(limitBody(10_000)).mount('/b', small().fetch),
      '/b/items',
    ],
    'of a plain app around it': () => [new Hono().use(limitBody(10_000)).route('/b', small()), '/b/items'],
    'of a connector beside it': () => [
      new Hono().route('/', small()).route('/', large().use(limitBody(10_000))),
      '/items',
    ],
    'of a connector beside it, the other way round': () => [
      new Hono().route('/', large().use(limitBody(10_000))).route('/', small()),
      '/items',
    ],
    'of a connector below it': () => [
      (makeConnector({ maxBodyBytes: 1_000 }) as unknown as Hono).route(
        '/b',
        large().post('/items', limitBody(10_000), read),
      ),
      '/b/items',
    ],
  };
  test.each(Object.entries(ways))('%s', async (_how, make) => {
    const [app, path] = make();
    expect(await upload(app, path, 1_001)).toEqual([413, 413]);
    expect(await upload(app, path, 1_000)).toEqual([200, 200]);
  });

  test('and that of an app around it is asked too', async () => {
    const app = () => new Hono().onError(onConnectorError).use(limitBody(10)).route('/', small());
    expect(await upload(app(), '/items', 11)).toEqual([413, 413]);
    expect(await upload(app(), '/items', 10)).toEqual([200, 200]);
  });

  test('an app that is routed into it has its limits (control)', async () => {
    const app = () =>
      small().route(
        '/part',
        new Hono()
          .use(limitBody(5_000))
          .post('/items', read)
          .onError(() => new Response('own')),
      );
    expect(await upload(app(), '/part/items', 5_000)).toEqual([200, 200]);
    expect(await upload(app(), '/part/items', 5_001)).toContain(413);
  });
});

describe('a `limitBody` behind the route that answers is not its own', () => {
  const goOn = async (_c: Context, next: Next) => next();
  const connectors: Record<string, (connector: Hono) => unknown> = {
    'of another route': (connector) =>
      connector.post('/small', limitBody(1_000), read).post('/:any', limitBody(10_000), read),
    'of another route, without a limit of its own': (connector) =>
      connector.post('/small', read).post('/*', limitBody(10_000), read),
    'of a `use` that comes after it': (connector) => connector.post('/small', read).use(limitBody(10_000)),
    'after middleware of the route': (connector) =>
      connector.post('/small', limitBody(1_000), goOn, read).post('/:any', limitBody(10_000), read),
  };
  test.each(Object.entries(connectors))('%s', async (_how, add) => {
    const app = () => {
      const connector = makeConnector({ maxBodyBytes: 1_000 }) as unknown as Hono;
      add(connector);
      return connector;
    };
    expect(await upload(app(), '/small', 1_001)).toEqual([413, 413]);
    expect(await upload(app(), '/small', 1_000)).toEqual([200, 200]);
  });

  test('a route for all paths gives the login no limit', async () => {
    const connector = makeConnector({ maxBodyBytes: 1_000 });
    connector.all('*', limitBody(10_000), read as never);
    expect(await upload(connector, '/initialize', 1_001)).toEqual([413, 413]);
  });
});

describe('a body that was too large is a 413, whatever is made of it (E4)', () => {
  const handlers: Record<string, (connector: Hono) => unknown> = {
    'a plain app that is mounted': (connector) =>
      connector.mount('/', new Hono().post('/', read).onError((_error, c) => c.text('failed', 500)).fetch),
    'a handler that swallows it': (connector) =>
      connector.post('/', async (c) => {
        await c.req.text().catch(() => {});
        return c.text('created', 201);
      }),
    'middleware that swallows it': (connector) =>
      connector
        .use(async (c, next) => {
          await c.req.raw.text().catch(() => {});
          await next();
        })
        .post('/', (c) => c.text('created', 201)),
    'middleware that makes a success of it': (connector) =>
      connector
        .use(async (c, next) => {
          await next();
          c.res = new Response('fine');
        })
        .post('/', read),
  };
  test.each(Object.entries(handlers))('%s', async (_how, add) => {
    const heard: unknown[] = [];
    const connector = makeConnector({ maxBodyBytes: 100, onError: (error) => void heard.push(error) });
    add(connector as unknown as Hono);
    const url = await start(connector);
    const headers = { ...withToken, 'transfer-encoding': 'chunked' };
    const answer = await send(url, { method: 'POST', path: '/', headers, body: 'x'.repeat(101) });
    expect([answer.status, errorsOf(answer).code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(heard).toContainEqual(expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }));
  });
});
