import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { connect } from '../helpers/connect.js';
import { type Exchange, type ScriptedConnector, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';

const Page = z.object({ items: z.array(z.number()), next: z.string().optional() });

/** Three pages of one number each; `next` is what `link` makes of the number of the following page. */
const threePages =
  (link: (page: number, connector: ScriptedConnector) => string, connector: () => ScriptedConnector) =>
  (exchange: Exchange) => {
    const page = Number(new URL(exchange.path, 'http://h').searchParams.get('page') ?? 1);
    exchange.reply(200, { items: [page], ...(page < 3 ? { next: link(page + 1, connector()) } : {}) });
  };

async function connectorWith(link: (page: number, connector: ScriptedConnector) => string) {
  const connector: ScriptedConnector = await scriptedConnector();
  connector.handle = threePages(link, () => connector);
  return connector;
}

async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const page of pages) list.push(page);
  return list;
}

describe('client.pages', () => {
  it('reads them by names and values, which are put over those before', async () => {
    const connector = await connectorWith(String);
    const pages = connect(connector).pages('/items', {
      schema: Page,
      query: { limit: 1 },
      next: (page) => page.next && { page: page.next },
    });
    const list = await all(pages);
    expectTypeOf(list).toEqualTypeOf<z.output<typeof Page>[]>();
    expect(list.map(({ items }) => items[0])).toEqual([1, 2, 3]);
    expect(connector.requests.map(({ path }) => path)).toEqual([
      '/items?limit=1',
      '/items?limit=1&page=2',
      '/items?limit=1&page=3',
    ]);
  });

  it.each<[string, string, object | undefined, string, string]>([
    ['a URLSearchParams', '/items', new URLSearchParams('page=1&of=a+b&of=c'), 'of=a+b&of=c', 'page=1&of=a+b&of=c'],
    ['the path', '/items?page=1&of=a%20b', undefined, 'of=a%20b', 'page=1&of=a%20b'],
    ['both', '/items?page=1&of=a%20b', { page: 1, limit: 1 }, 'of=a%20b&limit=1', 'page=1&of=a%20b&page=1&limit=1'],
  ])('puts them over those before in %s', async (_where, path, query, kept, first) => {
    const connector = await connectorWith(String);
    const next = ({ next: page }: z.output<typeof Page>) => page && { page };
    await all(connect(connector).pages(path, { schema: Page, query, next }));
    expect(connector.requests.map((request) => request.path)).toEqual([
      `/items?${first}`,
      `/items?${kept}&page=2`,
      `/items?${kept}&page=3`,
    ]);
  });

  it('puts them over those of the link before', async () => {
    const connector = await scriptedConnector();
    const links = ['/items?page=2&limit=1', { page: 3 }, { page: undefined }, new URLSearchParams({ limit: '5' })];
    await all(connect(connector).pages('/items', { next: () => links.shift() }));
    expect(connector.requests.map(({ path }) => path)).toEqual([
      '/items',
      '/items?page=2&limit=1',
      '/items?limit=1&page=3',
      '/items?limit=1',
      '/items?limit=5',
    ]);
  });

  it('reads them by URLSearchParams, which replace the query', async () => {
    const connector = await connectorWith(String);
    const next = async ({ next: page }: z.output<typeof Page>) =>
      page === undefined ? undefined : new URLSearchParams({ page });
    await all(connect(connector).pages('/items?of=a', { schema: Page, query: { limit: 1 }, next }));
    const paths = ['/items?of=a&limit=1', '/items?page=2', '/items?page=3'];
    expect(connector.requests.map(({ path }) => path)).toEqual(paths);
  });

  it.each<[string, (page: number, connector: ScriptedConnector) => string]>([
    ['URLs', (page, { url }) => `${url}/base/items?page=${page}`],
    ['paths', (page) => `/items?page=${page}`],
  ])('reads them by links that are %s', async (_what, link) => {
    const connector = await connectorWith(link);
    const client = connect({ url: `${connector.url}/base` });
    const list = await all(client.pages('/items', { schema: Page, query: { limit: 1 }, next: (page) => page.next }));
    expect(list).toHaveLength(3);
    expect(connector.requests.map(({ path }) => path)).toEqual([
      '/base/items?limit=1',
      '/base/items?page=2',
      '/base/items?page=3',
    ]);
  });

  it('gives `next` the response, for links in headers', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) =>
      exchange.reply(200, [], exchange.path === '/items' ? { link: '</items?page=2>; rel="next"' } : {});
    const list = await all(
      connect(connector).pages('/items', {
        next: (_page, { headers }) => /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1],
      }),
    );
    expect(list).toEqual([[], []]);
  });

  it('ends with an error where a page leads back to one that was read', async () => {
    const connector = await connectorWith(() => '2');
    const read: unknown[] = [];
    const reading = (async () => {
      for await (const page of connect(connector).pages('/items?key=canary', {
        schema: Page,
        next: ({ next }) => ({ page: next }),
      })) {
        read.push(page);
      }
    })();
    const error = await rejection(reading);
    expect(error).toMatchObject({ name: 'RequestError', code: 'PAGE_LOOP', path: '/items' });
    expect(error.message).toContain('after 2 pages, `next` led back to an earlier page');
    expect(error.message).not.toContain('canary');
    expect(read).toHaveLength(2);
  });

  it('and where a page leads to itself', async () => {
    const connector = await connectorWith(String);
    const error = await rejection(all(connect(connector).pages('/items', { next: () => '/items' })));
    expect(error.message).toContain('after 1 page, `next` led back to an earlier page');
  });

  it.each([2, true, ['2'], () => '2'])('says what `next` may return when it returns %o', async (returned) => {
    const connector = await connectorWith(String);
    const pages = connect(connector).pages('/items', { next: () => returned as never });
    await expect(all(pages)).rejects.toThrow(
      /^`next` returned .*; it must return query values, such as { cursor }, a link/,
    );
    expect(connector.requests).toHaveLength(1);
  });

  it('follows a URL object', async () => {
    const connector = await connectorWith(String);
    const pages = connect(connector).pages('/items', {
      schema: Page,
      next: ({ next }) => next && new URL(`/items?page=${next}`, connector.url),
    });
    expect(await all(pages)).toHaveLength(3);
  });

  it('reads no further than it is asked to', async () => {
    const connector = await connectorWith(String);
    for await (const _page of connect(connector).pages('/items', {
      schema: Page,
      next: ({ next }) => ({ page: next }),
    })) {
      break;
    }
    expect(connector.requests).toHaveLength(1);
  });

  it('needs `next`', async () => {
    const client = connect(await connectorWith(() => ''));
    expect(() => client.pages('/items', {} as never)).toThrow(/`next`/);
  });

  it.each([
    ['http://elsewhere.example/items', '`next()` must be a path or a URL below `baseUrl`'],
    [
      'items?page=2',
      '`next` returned "items?page=2"; it must return query values, such as { cursor }, a link from "/"',
    ],
    ['b3BhcXVl==', '`next` returned "b3BhcXVl=="; it must return query values, such as { cursor }'],
  ])('says that `next` returned the link %s', async (link, message) => {
    const client = connect(await connectorWith(() => link));
    const error = await rejection(all(client.pages('/items', { schema: Page, next: (page) => page.next })));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message.startsWith(message)).toBe(true);
  });
});
