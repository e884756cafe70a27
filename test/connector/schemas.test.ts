// Authors bring their own schema library: `readJson`, `readQuery` and `readResponse` take what `schema` of a call takes (D3).
import { type } from 'arktype';
import { endSystemFetch, readJson, readQuery, readResponse } from 'concordat/connector';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { unhandledRejections } from '../helpers/unhandled-rejections.js';
import { endSystem } from './support/end-system.js';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const libraries = {
  zod: { issue: z.object({ id: z.number(), state: z.string() }), query: z.object({ tag: z.array(z.string()) }) },
  valibot: { issue: v.object({ id: v.number(), state: v.string() }), query: v.object({ tag: v.array(v.string()) }) },
  'valibot that waits': {
    issue: v.objectAsync({
      id: v.number(),
      state: v.pipeAsync(
        v.string(),
        v.checkAsync(async () => true),
      ),
    }),
    query: v.objectAsync({ tag: v.array(v.string()) }),
  },
  ArkType: { issue: type({ id: 'number', state: 'string' }), query: type({ tag: 'string[]' }) },
};
const issue = { id: 7, state: 'open' };
const noIssue = { id: 'CANARY', state: 'open' };

describe.each(Object.entries(libraries))('%s', (_name, schemas) => {
  async function serve() {
    const connector = makeConnector();
    connector.post('/json', async (c) => c.json(await readJson(c, schemas.issue as typeof libraries.valibot.issue)));
    connector.get('/query', async (c) => c.json(await readQuery(c, schemas.query as typeof libraries.valibot.query)));
    const url = await start(connector);
    return (path: string, body?: unknown) =>
      send(url, {
        path,
        headers: withToken,
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
  }

  test('readJson returns the body, or is a 400 that names the field', async () => {
    const ask = await serve();
    expect((await ask('/json', issue)).body).toBe(JSON.stringify(issue));
    const refused = await ask('/json', noIssue);
    expect(refused.status).toBe(400);
    expect(errorsOf(refused)).toMatchObject({
      code: 'BAD_REQUEST',
      message: expect.stringMatching(/^The request body is not valid: id\b/),
    });
  });

  test('readQuery makes an array of a name that is given once, where the schema wants one', async () => {
    const ask = await serve();
    for (const query of ['tag=a', 'tag=a&tag=b']) {
      const { body } = await ask(`/query?${query}`);
      expect(JSON.parse(body)).toEqual({ tag: query.split('&').map((pair) => pair.slice(4)) });
    }
    expect(errorsOf(await ask('/query?label=a')).message).toMatch(/^The query is not valid: tag\b/);
  });

  test('readResponse is a 502 that names the field and quotes no value (E3)', async () => {
    const read = async (body: unknown) =>
      readResponse(
        await endSystemFetch()(await endSystem({ status: 200, body })),
        schemas.issue as typeof libraries.valibot.issue,
      );
    expect(await read(issue)).toEqual(issue);
    const error = await read(noIssue).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ status: 502, code: 'END_SYSTEM_INVALID_RESPONSE' });
    expect((error as Error).message).toMatch(/does not fit: id: /);
    expect((error as Error).message).not.toContain('CANARY');
    expect(error).toHaveProperty('cause.issues.0.path');
  });
});

test('nor does it quote what an enum of zod 3 got (E3)', async () => {
  const response = await endSystemFetch()(await endSystem({ status: 200, body: { state: 'CANARY' } }));
  const error = await readResponse(response, z3.object({ state: z3.enum(['open', 'closed']) })).catch(
    (thrown) => thrown,
  );
  expect(error.message).toMatch(/does not fit: state: is not valid$/);
  expect(error.cause.issues[0].message).toContain('CANARY'); // control
});

test('issues that are null are no success', async () => {
  const schema = { '~standard': { version: 1, vendor: 'mine', validate: () => ({ issues: null }) } };
  const response = await endSystemFetch()(await endSystem({ status: 200, body: {} }));
  await expect(readResponse(response, schema as never)).rejects.toMatchObject({ code: 'END_SYSTEM_INVALID_RESPONSE' });
});

test('the types are those of the schema', () => {
  const c = {} as Parameters<typeof readJson>[0];
  expectTypeOf<ReturnType<typeof readValibot>>().resolves.toEqualTypeOf<{ id: number }>();
  expectTypeOf<ReturnType<typeof readArk>>().resolves.toEqualTypeOf<{ id: number }>();
  expectTypeOf<ReturnType<typeof readAny<typeof libraries.zod.issue>>>().resolves.toEqualTypeOf<typeof issue>();
  async function readValibot() {
    return readJson(c, v.object({ id: v.number() }));
  }
  async function readArk() {
    return readQuery(c, type({ id: 'number' }));
  }
  async function readAny<S extends z.ZodType>(schema: S): Promise<z.output<S>> {
    return readJson(c, schema);
  }
});

test.each([
  ['an empty object', {}],
  ['nothing', undefined],
])('%s is no schema: a TypeError says so', async (_what, schema) => {
  const onError = vi.fn();
  const connector = makeConnector({ onError });
  connector.post('/', async (c) => c.json(await readJson(c, schema as never)));
  const answer = await send(await start(connector), { method: 'POST', headers: withToken, body: '{}' });
  expect(answer.status).toBe(500);
  expect(onError.mock.calls[0]?.[0]).toMatchObject({
    name: 'TypeError',
    message: expect.stringContaining('`schema` must be a Standard Schema'),
  });
});

test('an asynchronous check runs once, and its rejection is handled', async () => {
  const unhandled = unhandledRejections();
  const check = vi.fn(async () => {
    await null;
    throw new Error('the database is away');
  });
  const onError = vi.fn();
  const connector = makeConnector({ onError });
  connector.post('/', async (c) => c.json(await readJson(c, z.string().refine(check))));
  const answer = await send(await start(connector), { method: 'POST', headers: withToken, body: '"text"' });
  expect([answer.status, onError.mock.calls[0]?.[0].message]).toEqual([500, 'the database is away']);
  await new Promise(setImmediate);
  expect(check).toHaveBeenCalledOnce();
  expect(unhandled).toEqual([]);
});
