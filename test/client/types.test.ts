import type * as clientModule from 'concordat/client';
import type { ConnectorClient, ConnectorClientOptions } from 'concordat/client';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';

const issue = z.object({ id: z.number(), title: z.string(), closedAt: z.coerce.date().optional() });
type Issue = z.output<typeof issue>;

describe('data is what the schema says', () => {
  it('typed and checked, with its defaults and conversions', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(200, { id: 7, title: 'a', closedAt: '2026-11-21T09:00:00Z', more: 1 }),
    });
    const client = connect(connector);
    const data = await client.get('/issues/7', { schema: issue });
    expectTypeOf(data).toEqualTypeOf<Issue>();
    expect(data).toEqual({ id: 7, title: 'a', closedAt: new Date('2026-11-21T09:00:00Z') });
    const response = await client.request({ method: 'GET', path: '/issues/7', schema: issue });
    expectTypeOf(response.data).toEqualTypeOf<Issue>();
    expectTypeOf(response.status).toEqualTypeOf<number>();
    expect(response.data).toEqual(data);
  });

  it('a mismatch names the call and the place, and does not quote the data', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(200, { id: 'canary-value', title: 'a' }),
    });
    await expect(connect(connector).get('/issues/7', { schema: issue })).rejects.toThrow(/GET \/issues\/7.*id/);
    await expect(connect(connector).get('/issues/7', { schema: issue })).rejects.not.toThrow(/canary-value/);
  });

  it('is unknown without one: nothing is promised that was not checked', async () => {
    const connector = await scriptedConnector();
    const data = await connect(connector).get('/issues');
    expectTypeOf(data).toBeUnknown();
    expect(data).toBeDefined();
  });
});

it('data is what `responseType` says, or `undefined` without a body (D1)', async () => {
  const connector = await scriptedConnector({
    handle: ({ method, reply }) => (method === 'DELETE' ? reply(204) : reply(200, 'a')),
  });
  const client = connect(connector);
  const text = await client.get('/', { responseType: 'text' });
  expectTypeOf(text).toEqualTypeOf<string | undefined>();
  expect(text).toBe('a');
  const bytes = await client.post('/', { responseType: 'bytes', json: 1 });
  expectTypeOf(bytes).toEqualTypeOf<Uint8Array<ArrayBuffer> | undefined>();
  expect(bytes).toEqual(Uint8Array.of(97));
  const nothing = await client.delete('/', { responseType: 'text' });
  expectTypeOf(nothing).toEqualTypeOf<string | undefined>();
  expect(nothing).toBeUndefined();
  const { data } = await client.request({ method: 'GET', path: '/', responseType: 'stream' });
  expectTypeOf(data).toEqualTypeOf<ReadableStream<Uint8Array<ArrayBuffer>>>();
  expect(await new Response(data).text()).toBe('a');
});

it('a type in angle brackets, of the variable or of a schema comes before that of `responseType`', async () => {
  const connector = await scriptedConnector({ handle: ({ reply }) => reply(200, 'a') });
  const client = connect(connector);
  expectTypeOf(await client.get<'a'>('/', { responseType: 'text' })).toEqualTypeOf<'a'>();
  expectTypeOf(await client.get<Uint8Array>('/', { responseType: 'bytes' })).toEqualTypeOf<Uint8Array>();
  expectTypeOf(await client.get('/', { responseType: 'text', schema: z.literal('a') })).toEqualTypeOf<'a'>();
  const text: string = await client.put('/', { responseType: 'text' });
  expect(text).toBe('a');
  const bytes: Uint8Array = await client.put('/', { responseType: 'bytes' });
  expect(bytes).toEqual(Uint8Array.of(97));
  const options: clientModule.RequestOptions = { responseType: 'text' };
  expectTypeOf(await client.get('/', options)).toBeUnknown();
  expectTypeOf(await client.get('/', { responseType: 'auto' })).toBeUnknown();
});

describe('types of the surface', () => {
  it('all verbs take a path and options', () => {
    type Verb = ConnectorClient['get'];
    expectTypeOf<ConnectorClient['post']>().toEqualTypeOf<Verb>();
    expectTypeOf<ConnectorClient['put']>().toEqualTypeOf<Verb>();
    expectTypeOf<ConnectorClient['patch']>().toEqualTypeOf<Verb>();
    expectTypeOf<ConnectorClient['delete']>().toEqualTypeOf<Verb>();
  });

  it('events have the facts of the architecture', () => {
    type Events = clientModule.ClientEvents;
    expectTypeOf<keyof Events>().toEqualTypeOf<
      'pause' | 'resume' | 'heartbeat' | 'quota' | 'initialize' | 'retry' | 'parked' | 'error' | 'close'
    >();
    expectTypeOf<Events['pause']>().toExtend<{
      reason: 'rate-limit';
      waitMs: number;
      resumeAt: Date;
      source: 'header' | 'fallback';
    }>();
    expectTypeOf<Events['resume']>().toExtend<{ pausedMs: number }>();
  });

  it('the status has the facts of the architecture', () => {
    expectTypeOf<ConnectorClient['status']['session']>().toEqualTypeOf<'none' | 'active' | 'renewing'>();
    expectTypeOf<ConnectorClient['status']['paused']>().toEqualTypeOf<boolean>();
  });

  it('the options that may be left out may be left out', () => {
    expectTypeOf<{
      baseUrl: string;
      initialize: { parameters: { user: string } };
    }>().toExtend<ConnectorClientOptions>();
    expectTypeOf<{ baseUrl: string }>().not.toExtend<ConnectorClientOptions>();
  });

  it('what may be left out may be undefined, and a query may be an interface', () => {
    interface Filter {
      state: 'open' | 'closed';
      page?: number;
    }
    const check = (client: ConnectorClient, filter: Filter, signal: AbortSignal | undefined, timeoutMs?: number) => {
      const options = { signal, timeoutMs, schema: undefined, headers: undefined, priority: undefined };
      void client.get('/', { ...options, query: filter });
      void client.pages('/', { ...options, next: () => undefined });
      void client.close({ graceMs: timeoutMs });
      const initialize = { parameters: {}, timeoutMs };
      const rateLimit = { maxWaitMs: timeoutMs, onLimit: undefined };
      void ({ baseUrl: '', initialize, rateLimit, retry: { retries: timeoutMs } } satisfies ConnectorClientOptions);
    };
    expect(check).toBeTypeOf('function');
  });

  it('a response can be written down by a test', () => {
    const response: clientModule.ConnectorResponse<number> = { status: 200, data: 1, headers: new Headers() };
    expectTypeOf(response.data).toBeNumber();
  });

  it('wrong ones do not compile', () => {
    const check = (client: ConnectorClient) => {
      // @ts-expect-error: there is no such event
      client.on('paused', () => {});
      // @ts-expect-error: a method is needed
      void client.request({ path: '/' });
      // @ts-expect-error: milliseconds are a number
      void client.get('/', { timeoutMs: '1s' });
    };
    expect(check).toBeTypeOf('function');
  });
});

it('a login function may return what a connector responds to a login', async () => {
  const connector = await scriptedConnector();
  type Answer = { key: string; value: string; sensitive: boolean }[];
  const client = connect(connector, {
    initialize: async ({ request }) => {
      const { data } = await request<Answer>({ method: 'POST', path: '/initialize', json: { user: 'ada' } });
      expectTypeOf(data).toEqualTypeOf<Answer>();
      return data;
    },
  });
  expect(await client.get('/items')).toMatchObject({ session: 'session-1' });
});
