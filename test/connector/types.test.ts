import { type ErrorKind, NotFoundError } from 'concordat';
import {
  announceQuota,
  type CleanupHandler,
  type Connector,
  createConnector,
  type ErrorListener,
  endSystemFetch,
  limitBody,
  readJson,
  readQuery,
  type serve,
  streamRecords,
} from 'concordat/connector';
import { Hono } from 'hono';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';

test('what a listener or a cleanup returns does not matter', () => {
  const seen: unknown[] = [];
  expectTypeOf((error: unknown) => seen.push(error)).toExtend<ErrorListener<unknown>>();
  expectTypeOf(() => seen.push('cleanup')).toExtend<CleanupHandler>();
});

// Checked by `tsc --noEmit`: a wrong type fails there.
test('parameters, session and bodies are typed by their schemas', () => {
  const session = z.object({ 'X-Account': z.coerce.number(), 'x-region': z.string().default('eu') });
  const connector = createConnector({
    initialize: {
      parameters: z.object({ token: z.string(), pageSize: z.coerce.number().default(50) }),
      handler({ parameters, signal, c }) {
        expectTypeOf(announceQuota(c, endSystemFetch())).toEqualTypeOf<typeof fetch>();
        expectTypeOf(parameters).toEqualTypeOf<{ token: string; pageSize: number }>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        return { 'x-account': '1' };
      },
    },
    session,
    verify(value) {
      expectTypeOf(value).toEqualTypeOf<{ 'X-Account': number; 'x-region': string }>();
      return true;
    },
    cleanup: async (context) => {
      expectTypeOf(context.session['X-Account']).toBeNumber();
    },
    onError: (error, c) => {
      expectTypeOf(error).toBeUnknown();
      expectTypeOf(c.req.path).toBeString();
    },
  });
  expectTypeOf(connector).toEqualTypeOf<Connector<typeof session>>();
  expectTypeOf(connector).toExtend<Parameters<typeof serve>[0]>();

  connector.get('/issues/:id', async (c) => {
    expectTypeOf(c.get('session')).toEqualTypeOf<{ 'X-Account': number; 'x-region': string }>();
    expectTypeOf(c.var.session['X-Account']).toBeNumber();
    expectTypeOf(c.req.param('id')).toBeString();
    // @ts-expect-error the session has no such header
    c.get('session')['x-account'];
    const body = await readJson(c, z.object({ title: z.string().trim() }));
    expectTypeOf(body).toEqualTypeOf<{ title: string }>();
    const query = await readQuery(c, z.object({ page: z.coerce.number() }));
    expectTypeOf(query).toEqualTypeOf<{ page: number }>();
    return c.json(body);
  });
  expectTypeOf(endSystemFetch()).toEqualTypeOf<typeof fetch>();
  expectTypeOf<ErrorKind>().toExtend<string>();
  new Hono().route('/nested', connector);
});

test('options that cannot be are refused by the compiler', () => {
  const parameters = z.object({});
  const session = z.object({});
  const handler = () => ({});
  const check = (_: () => unknown) => {};
  // @ts-expect-error without a session
  check(() => createConnector({ initialize: { parameters, handler } }));
  // @ts-expect-error a format that is none
  check(() => createConnector({ initialize: { parameters, handler }, session, rateLimit: { format: 'minutes' } }));
  // @ts-expect-error a session value that is no text
  check(() => createConnector({ initialize: { parameters, handler: () => ({ a: 1 }) }, session }));
  // @ts-expect-error a preset that does not exist
  check(() => endSystemFetch({ preset: 'gitbuh' }));
});

test('a union of logins and the context of a request have their types', () => {
  const connector = createConnector({
    initialize: {
      path: '/:tenant/initialize',
      parameters: z.discriminatedUnion('auth', [
        z.object({ auth: z.literal('basic'), user: z.string() }),
        z.object({ auth: z.literal('token'), token: z.string() }),
      ]),
      handler: ({ parameters, c }) => {
        expectTypeOf(parameters).toEqualTypeOf<{ auth: 'basic'; user: string } | { auth: 'token'; token: string }>();
        return { 'x-session': parameters.auth === 'basic' ? parameters.user : (c.req.param('tenant') ?? '') };
      },
    },
    session: z.object({ 'x-session': z.string() }),
    verify: (value, c) => {
      expectTypeOf(value).toEqualTypeOf<{ 'x-session': string }>();
      return c.req.param('tenant') === value['x-session'];
    },
    cleanup: ({ session, signal, c }) => {
      expectTypeOf(session).toEqualTypeOf<{ 'x-session': string }>();
      expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
      expectTypeOf(c.req.path).toBeString();
    },
    openPaths: ['/health'],
    translate: (error, c) => {
      expectTypeOf(error).toBeUnknown();
      return c.req.path === '/' ? new NotFoundError() : undefined;
    },
  });
  connector.post('/files', limitBody(10), (c) => streamRecords(c, [c.get('session')['x-session']]));
});

test('schemas of zod/mini have their types, too', async () => {
  const connector = createConnector({
    initialize: {
      parameters: mini.object({ user: mini.string(), pages: mini.optional(mini.string()) }),
      handler: ({ parameters }) => {
        expectTypeOf(parameters).toEqualTypeOf<{ user: string; pages?: string | undefined }>();
        return { 'x-user': parameters.user };
      },
    },
    session: mini.object({ 'x-user': mini.string() }),
    verify: (value) => {
      expectTypeOf(value).toEqualTypeOf<{ 'x-user': string }>();
      return value['x-user'] === 'ada';
    },
    onError() {},
  });
  connector.post('/', async (c) => {
    expectTypeOf(c.get('session')).toEqualTypeOf<{ 'x-user': string }>();
    const body = await readJson(c, mini.object({ title: mini.string() }));
    expectTypeOf(body).toEqualTypeOf<{ title: string }>();
    return c.json(c.get('session'));
  });
  const login = { method: 'POST', body: '{"user":"ada"}' };
  expect(await (await connector.request('/initialize', login)).json()).toMatchObject([{ key: 'x-user', value: 'ada' }]);
  const request = { method: 'POST', body: '{"title":"new"}' };
  const answer = await connector.request('/', { ...request, headers: { 'x-user': 'ada' } });
  expect(await answer.json()).toEqual({ 'x-user': 'ada' });
  expect((await connector.request('/', request)).status).toBe(401);
  expect((await connector.request('/initialize', { method: 'POST', body: '{}' })).status).toBe(400);
});
