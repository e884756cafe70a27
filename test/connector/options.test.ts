import { createConnector, definePreset, endSystemFetch, serve } from 'concordat/connector';
import { connectorErrorHandler } from 'concordat/connector/express';
import { connectorPlugin } from 'concordat/connector/fastify';
import { connectorErrors } from 'concordat/connector/hono';
import { toNodeHandler } from 'concordat/connector/node';
import fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parameters, session } from './support/start.js';

const initialize = { parameters, handler: () => ({ 'x-token': 'abc' }) };
const good = { initialize, session };

/** Wrong, and the name that the error has to say. */
const mistakes: [name: string, options: unknown][] = [
  ['options', undefined],
  ['options', 'nonsense'],
  ['initialize', { session }],
  ['initialize.path', { session, initialize: { ...initialize, path: 'initialize' } }],
  ['initialize.path', { session, initialize: { ...initialize, path: '/a b' } }],
  ['initialize.parameters', { session, initialize: { handler: initialize.handler } }],
  ['initialize.parameters', { session, initialize: { ...initialize, parameters: z.string() } }],
  ['initialize.handler', { session, initialize: { parameters } }],
  ['initialize.hanlder', { session, initialize: { ...initialize, hanlder: () => ({}) } }],
  ['session', { initialize }],
  ['session', { initialize, session: { 'x-token': z.string() } }],
  ['session.x token', { initialize, session: z.object({ 'x token': z.string() }) }],
  ['session.Host', { initialize, session: z.object({ Host: z.string() }) }],
  ['session.X-A', { initialize, session: z.object({ 'x-a': z.string(), 'X-A': z.string() }) }],
  ['verify', { ...good, verify: true }],
  ['cleanup', { ...good, cleanup: true }],
  ['cleanup.handler', { ...good, cleanup: { path: '/bye' } }],
  ['cleanup.path', { ...good, cleanup: { path: 'bye', handler: () => {} } }],
  ['cleanup.path', { ...good, cleanup: { path: '/initialize', handler: () => {} } }],
  ['rateLimit', { ...good, rateLimit: 'Retry-After' }],
  ['rateLimit.header', { ...good, rateLimit: { header: 'Retry After' } }],
  ['rateLimit.header', { ...good, rateLimit: { header: 'Content-Type' } }],
  ['rateLimit.header', { ...good, rateLimit: { header: 7 } }],
  ['rateLimit.format', { ...good, rateLimit: { format: 'minutes' } }],
  ['exposeDetail', { ...good, exposeDetail: 'no' }],
  ['onError', { ...good, onError: 'log' }],
  ['maxBodyBytes', { ...good, maxBodyBytes: 0 }],
  ['maxDetailBytes', { ...good, maxDetailBytes: 1.5 }],
  ['verfy', { ...good, verfy: () => true }],
];

describe('createConnector', () => {
  test.each(mistakes)('a wrong `%s` is a TypeError that names it: %j', (name, options) => {
    const create = () => createConnector(options as never);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(`\`${name}\``);
  });

  test('right options are none (control)', () => {
    const everything = {
      ...good,
      verify: () => true,
      cleanup: { path: '/bye', handler: () => {} },
      rateLimit: { header: 'X-Wait', format: 'iso-8601' },
      exposeDetail: true,
      onError: () => {},
      maxBodyBytes: 1,
      maxDetailBytes: 1,
    } as const;
    expect(() => createConnector(everything)).not.toThrow();
    expect(() => createConnector({ ...good, rateLimit: {}, cleanup: undefined })).not.toThrow();
  });

  test('the options of the caller are not changed', () => {
    const options = Object.freeze({ ...good, rateLimit: Object.freeze({ header: 'X-Wait' }) });
    expect(() => createConnector(options)).not.toThrow();
  });
});

describe('serve', () => {
  const connector = createConnector(good);
  test.each([
    ['port', { port: -1 }],
    ['port', { port: '4000' }],
    ['port', {}],
    ['port', undefined],
    ['hostname', { port: 0, hostname: '' }],
  ])('a wrong `%s` rejects with a TypeError that names it: %j', async (name, options) => {
    await expect(serve(connector, options as never)).rejects.toThrow(TypeError);
    await expect(serve(connector, options as never)).rejects.toThrow(`\`${name}\``);
  });

  test('what is no connector is refused', async () => {
    await expect(serve({} as never, { port: 0 })).rejects.toThrow('`connector`');
  });
});

const adapterMistakes: [name: string, options: unknown][] = [
  ['rateLimit.format', { rateLimit: { format: 'minutes' } }],
  ['rateLimit.header', { rateLimit: { header: '' } }],
  ['exposeDetail', { exposeDetail: 1 }],
  ['maxDetailBytes', { maxDetailBytes: Number.NaN }],
  ['sessionHeaders', { sessionHeaders: 'x-token' }],
  ['sessionHeaders', { sessionHeaders: [7] }],
  ['sessionHeaders', { sessionHeaders: [''] }],
  ['onError', { onError: 'log' }],
  ['exposeDetails', { exposeDetails: true }],
];

describe('adapters', () => {
  test.each(adapterMistakes)('a wrong `%s` is a TypeError that names it: %j', async (name, options) => {
    const handler = () => new Response();
    for (const make of [
      () => connectorErrorHandler(options as never),
      () => connectorErrors(options as never),
      () => toNodeHandler(handler, options as never),
    ]) {
      expect(make).toThrow(TypeError);
      expect(make).toThrow(`\`${name}\``);
    }
    const app = fastify();
    await expect(app.register(connectorPlugin, options as never).ready()).rejects.toThrow(`\`${name}\``);
  });

  test('toNodeHandler refuses what is no fetch handler', () => {
    expect(() => toNodeHandler({} as never)).toThrow('`fetchHandler`');
    expect(() => toNodeHandler(undefined as never)).toThrow('`fetchHandler`');
  });

  test('fastify may register the plugin with options of its own (control)', async () => {
    const app = fastify();
    await expect(
      app.register(connectorPlugin, { prefix: '/x', logLevel: 'warn' } as never).ready(),
    ).resolves.toBeDefined();
  });
});

describe('endSystemFetch', () => {
  test.each([
    ['preset', { preset: 'gitbuh' }],
    ['preset', { preset: 7 }],
    ['rules', { preset: { name: 'x', rules: {} } }],
    ['clock', { clock: { now: () => 0 } }],
    ['translate', { translate: 'x' }],
    ['fetch', { fetch: 'x' }],
    ['presets', { presets: 'github' }],
  ])('a wrong `%s` is a TypeError that names it: %j', (name, options) => {
    expect(() => endSystemFetch(options as never)).toThrow(TypeError);
    expect(() => endSystemFetch(options as never)).toThrow(`\`${name}\``);
  });
});

describe('definePreset', () => {
  const rule = { when: { status: [403] }, is: 'rate-limit' };
  test.each([
    ['preset', undefined],
    ['name', { rules: [] }],
    ['rules', { name: 'x', rules: {} }],
    ['code', { name: 'x', rules: [], code: 'code' }],
    ['message', { name: 'x', rules: [], message: [7] }],
    ['rules[0].when', { name: 'x', rules: [{ is: 'forbidden' }] }],
    ['rules[0].when.status', { name: 'x', rules: [{ when: { status: 403 }, is: 'forbidden' }] }],
    ['rules[1].when.status', { name: 'x', rules: [rule, { when: { status: ['403'] }, is: 'forbidden' }] }],
    ['rules[0].when.headers.a', { name: 'x', rules: [{ when: { headers: { a: 0 } }, is: 'forbidden' }] }],
    [
      'rules[0].when.body.path',
      { name: 'x', rules: [{ when: { body: { path: '', matches: true } }, is: 'forbidden' }] },
    ],
    ['rules[0].when.body.matches', { name: 'x', rules: [{ when: { body: { path: 'a' } }, is: 'forbidden' }] }],
    ['rules[0].is', { name: 'x', rules: [{ when: {}, is: 'denied' }] }],
    ['rules[0].status', { name: 'x', rules: [{ when: {}, is: 'forbidden', status: 403 }] }],
    ['rules[0].status', { name: 'x', rules: [{ when: {}, is: 'other', status: 200 }] }],
    ['rules[0].fallbackWaitMs', { name: 'x', rules: [{ ...rule, fallbackWaitMs: -1 }] }],
    ['rules[0].leastWaitMs', { name: 'x', rules: [{ ...rule, leastWaitMs: '1' }] }],
    ['rules[0].wait[0]', { name: 'x', rules: [{ ...rule, wait: [{ unit: 'seconds' }] }] }],
    ['rules[0].wait[0].unit', { name: 'x', rules: [{ ...rule, wait: [{ header: 'a', unit: 'minutes' }] }] }],
  ])('a wrong `%s` is a TypeError that names it', (name, preset) => {
    expect(() => definePreset(preset as never)).toThrow(TypeError);
    expect(() => definePreset(preset as never)).toThrow(`\`${name}\``);
  });
});
