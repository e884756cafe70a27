import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RateLimitError } from 'concordat';
import { createConnector, serve } from 'concordat/connector';
import { connectorErrorHandler } from 'concordat/connector/express';
import { connectorFrameworkErrors, connectorPlugin } from 'concordat/connector/fastify';
import express from 'express';
import fastify from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { errorsOf, send } from './support/send.js';

interface Limiter {
  /** What it sets on the response before it throws. */
  retryAfter?: string | number | undefined;
  /** Of throttlers with names. */
  named?: Record<string, string> | undefined;
  error: object;
}

interface Options {
  translate?: (error: unknown) => RateLimitError | undefined;
  onError?: (error: unknown) => void;
}

const errorWith = (members: object) => Object.assign(new Error('canary: 10.0.0.7 asks too often'), members);

/** As the guard of NestJS's throttler throws it. */
const throttled = () => errorWith({ message: 'ThrottlerException: Slow down', status: 429, getResponse: () => ({}) });

/** Servers whose limiter refuses every request. */
const servers = {
  fastify: async ({ retryAfter, named = {}, error }: Limiter, options: Options) => {
    const app = fastify();
    app.addHook('onRequest', async (_request, reply) => {
      if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
      reply.headers(named);
      throw error;
    });
    await app.register(connectorPlugin, options);
    app.get('/issues', async () => []);
    onTestFinished(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
  // An exception filter gets what was thrown, and the reply on which a guard has set the wait.
  'NestJS on Fastify': async ({ retryAfter, named = {}, error }: Limiter, options: Options) => {
    const app = fastify();
    const handle = connectorFrameworkErrors(options);
    app.get('/issues', (request, reply) => {
      if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
      reply.headers(named);
      handle(error, request, reply);
    });
    onTestFinished(() => app.close());
    return app.listen({ port: 0, host: '127.0.0.1' });
  },
  express: async ({ retryAfter, named = {}, error }: Limiter, options: Options) => {
    const app = express();
    app.use((_request, response, next) => {
      if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
      response.set(named);
      next(error);
    });
    app.use(connectorErrorHandler(options));
    const server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
};

describe.each(Object.entries(servers))('a limiter in %s', (_name, start) => {
  const answerTo = async (limiter: Limiter, options: Options = {}) =>
    send(await start(limiter, options), { path: '/issues' });

  test('refuses HEAD with the same status and wait', async () => {
    const url = await start({ retryAfter: 7, error: throttled() }, {});
    const [get, head] = [await send(url, { path: '/issues' }), await send(url, { path: '/issues', method: 'HEAD' })];
    expect([head.status, head.headers['retry-after'], head.body]).toEqual([get.status, '7', '']);
  });

  test.each<[string, object, string | number | undefined, string]>([
    ['a 429 with a wait', { statusCode: 429 }, 7, '7'],
    ['a 429 with a status and a wait', { status: 429 }, '7', '7'],
    ['a 429 with a wait that cannot be read', { statusCode: 429 }, 'soon', '60'],
    ['a 429 without a wait', { statusCode: 429 }, undefined, '60'],
    ['a 503 with a wait', { statusCode: 503, code: 'FST_UNDER_PRESSURE' }, 10, '10'],
    // As http-errors makes them of `createError(429, { headers })`.
    ['a 429 with a wait of its own', { status: 429, headers: { 'Retry-After': '30' } }, undefined, '30'],
    ['a 503 with a wait of its own', { status: 503, headers: { 'Retry-After': '30' } }, undefined, '30'],
    ['a 429 with a number of its own', { status: 429, headers: { 'Retry-After': 120 } }, undefined, '120'],
    ['a 503 with a number of its own', { status: 503, headers: { 'Retry-After': 120 } }, undefined, '120'],
  ])('%s is a rate limit that reveals nothing (E4)', async (_what, members, retryAfter, wait) => {
    const seen: unknown[] = [];
    const error = errorWith(members);
    const answer = await answerTo({ retryAfter, error }, { onError: (thrown) => void seen.push(thrown) });
    expect([answer.status, answer.headers['retry-after'], errorsOf(answer).code]).toEqual([403, wait, 'RATE_LIMITED']);
    expect(answer.body).not.toContain('canary');
    expect(seen).toEqual([error]);
    expect(seen[0]).toBe(error);
  });

  test('a 429 that is no Error, as @fastify/rate-limit throws what its `errorResponseBuilder` returns (E4)', async () => {
    const answer = await answerTo({ retryAfter: 7, error: { statusCode: 429, message: 'canary: 10.0.0.7' } });
    expect([answer.status, answer.headers['retry-after'], errorsOf(answer).code]).toEqual([403, '7', 'RATE_LIMITED']);
    expect(answer.body).not.toContain('canary');
  });

  test("the throttler of NestJS is a rate limit with the response's wait and its own message (E4)", async () => {
    const answer = await answerTo({ retryAfter: 7, error: throttled() });
    expect([answer.status, answer.headers['retry-after']]).toEqual([403, '7']);
    expect(errorsOf(answer)).toEqual({ code: 'RATE_LIMITED', message: 'ThrottlerException: Slow down' });
  });

  test.each([
    ['one', { 'Retry-After-short': '1' }, undefined, '1'],
    ['two', { 'Retry-After-short': '1', 'retry-after-long': '20' }, undefined, '20'],
    ['a name beside none', { 'Retry-After-short': '1' }, 7, '7'],
    ['an unreadable one', { 'Retry-After-short': 'soon' }, undefined, '60'],
    ['milliseconds, which are no name', { 'retry-after-ms': '1500' }, undefined, '60'],
  ])('a throttler of NestJS with names says how long: %s (E4)', async (_what, named, retryAfter, wait) => {
    const answer = await answerTo({ retryAfter, named, error: throttled() });
    expect([answer.status, answer.headers['retry-after']]).toEqual([403, wait]);
  });

  test('a limit for the caller keeps what any other error for the caller does (E4)', async () => {
    const response = { code: 'TOO_MANY_EXPORTS', detail: { by: 7 } };
    const headers = { 'X-Extra': 'yes', 'Retry-After': '7' };
    const error = errorWith({ message: 'Slow down', status: 429, expose: true, headers, response });
    const answer = await answerTo({ error });
    expect([answer.status, answer.headers['retry-after'], answer.headers['x-extra']]).toEqual([403, '7', 'yes']);
    expect(errorsOf(answer)).toEqual({ code: 'TOO_MANY_EXPORTS', message: 'Slow down', detail: '{"by":7}' });
  });

  test.each([
    'Unexpected token \'h\', ..."assword": hunter22}\n" is not valid JSON',
    'Unexpected token h in JSON at position 13',
    "Expected ',' or '}' after property value in JSON at position 25 (line 1 column 26)",
    'Unexpected end of JSON input',
    'JSON Parse error: Unexpected identifier "hunter22"',
  ])('an exception that NestJS makes of broken JSON does not quote it: %s (E5)', async (message) => {
    const error = errorWith({ message, status: 400, getResponse: () => ({ message }), response: { message } });
    expect(errorsOf(await answerTo({ error })).message).toBe('The request body is not valid JSON.');
  });

  test.each(['"filter" of the query is not valid JSON', 'No "a" in JSON at position 3 of the list'])(
    'what an author says of JSON stays: %s',
    async (message) => {
      const error = errorWith({ message, status: 400, getResponse: () => ({}) });
      expect(errorsOf(await answerTo({ error })).message).toBe(message);
    },
  );

  test('an exception of NestJS keeps the code and detail of its object (E4)', async () => {
    const response = { code: 'TITLE_TAKEN', message: 'Title is taken', detail: { by: 7 } };
    const error = errorWith({ message: 'Title is taken', status: 409, response, getResponse: () => response });
    const answer = await answerTo({ error });
    expect([answer.status, errorsOf(answer)]).toEqual([
      409,
      { code: 'TITLE_TAKEN', message: 'Title is taken', detail: '{"by":7}' },
    ]);
  });

  test.each([
    ['a 503 without a wait', { statusCode: 503 }, undefined],
    ['another status with a wait', { statusCode: 500 }, 7],
    ['a denial with a wait', { statusCode: 403 }, 7],
    ['no status, with a wait', {}, 7],
  ])('%s stays a 500 without the wait header (E4, W2)', async (_what, members, retryAfter) => {
    const answer = await answerTo({ retryAfter, error: errorWith(members) });
    expect([answer.status, answer.headers['retry-after']]).toEqual([500, undefined]);
    expect(errorsOf(answer).code).toBe('INTERNAL_ERROR');
  });

  test('`translate` decides before that (E4)', async () => {
    const translate = () => new RateLimitError('The end system is busy', { retryAfterMs: 9_000 });
    const answer = await answerTo({ retryAfter: 7, error: errorWith({ statusCode: 429 }) }, { translate });
    expect([answer.headers['retry-after'], errorsOf(answer).message]).toEqual(['9', 'The end system is busy']);
  });
});

test('a limiter of Hono that returns a 429 in a connector is a rate limit with its wait (E4)', async () => {
  const connector = createConnector({
    initialize: { parameters: z.object({}), handler: () => ({}) },
    session: z.object({}),
    onError: () => {},
  });
  connector.use(async (c, _next) => {
    c.header('Retry-After', '7');
    c.status(429);
    return c.text('Too many requests, please try again later.');
  });
  const { url, close } = await serve(connector, { port: 0 });
  onTestFinished(() => close());
  const answer = await send(url, { path: '/issues' });
  expect([answer.status, answer.headers['retry-after'], errorsOf(answer).code]).toEqual([403, '7', 'RATE_LIMITED']);
});
