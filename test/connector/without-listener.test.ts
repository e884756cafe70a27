import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { compiled } from '../helpers/compiled.js';

describe('a connector without onError', () => {
  const program = (options: string) => `
    import { createConnector } from 'concordat/connector';
    import { z } from 'zod';
    const make = () => createConnector({
      initialize: { parameters: z.object({}), handler: () => ({ 'x-token': 'abcd' }) },
      session: z.object({ 'x-token': z.string() }),
      ${options}
    });
    const connector = make();
    make();
    connector.get('/', () => { throw new Error('unheard'); });
    console.log((await connector.request('/', { headers: { 'x-token': 'abcd' } })).status);`;

  const adapters = (options: string) => `
    import { connectorErrorHandler } from 'concordat/connector/express';
    import 'concordat/connector/hono';
    import { connectorPlugin } from 'concordat/connector/fastify';
    import fastify from 'fastify';
    const named = process.argv[2];
    if (named === 'express') connectorErrorHandler(${options});
    else await fastify().register(connectorPlugin, ${options});`;

  async function run(options: string, source = program(options), ...rest: string[]) {
    const env = { ...process.env, NODE_OPTIONS: '' };
    const child = spawn(process.execPath, [await compiled({ source }), ...rest], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { out: out.trim(), err };
  }

  test('says once at the start that nobody hears of errors, and writes none of them', async () => {
    const { out, err } = await run('');
    expect(out).toBe('500');
    expect(err.match(/CONCORDAT_NO_LISTENER/g)).toHaveLength(1);
    expect(err).toContain('onError: logError');
    expect(err).not.toContain('unheard');
  });

  test('says nothing when somebody listens (control)', async () => {
    expect(await run('onError() {}')).toEqual({ out: '500', err: '' });
  });

  test.each(['express', 'fastify'])('of an app in %s says so, too', async (name) => {
    expect((await run('', adapters('{}'), name)).err.match(/CONCORDAT_NO_LISTENER/g)).toHaveLength(1);
    expect((await run('', adapters('{ onError() {} }'), name)).err).toBe('');
  });
});
