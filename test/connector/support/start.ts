import { type Connector, type ConnectorOptions, createConnector, serve } from 'concordat/connector';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

export const parameters = z.object({ user: z.string(), password: z.string().min(3) });
export const session = z.object({ 'X-Token': z.string().min(3) });

type Options = ConnectorOptions<typeof parameters, typeof session>;

/** A connector as most are: a login with user and password that hands out one token. */
export function makeConnector(overrides: Partial<Options> = {}): Connector<typeof session> {
  return createConnector({
    initialize: { parameters, handler: ({ parameters: { user } }) => ({ 'x-token': `token-of-${user}` }) },
    session,
    ...overrides,
  });
}

/** Serves it on a free port until the test ends. */
export async function start(connector: Parameters<typeof serve>[0]): Promise<string> {
  const server = await serve(connector, { port: 0 });
  onTestFinished(() => server.close({ graceMs: 0 }));
  return server.url;
}

export const withToken = { 'x-token': 'token-of-alice' };
