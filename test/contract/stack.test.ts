import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

it.each(['production', 'development'])(
  'with NODE_ENV=%s the stack names the line that made the error',
  async (mode) => {
    vi.stubEnv('NODE_ENV', mode);
    vi.resetModules();
    const { BadRequestError, NotFoundError, RateLimitError } = await import('concordat');
    const errors = [new BadRequestError(), new NotFoundError('gone'), new RateLimitError('later', { retryAfterMs: 1 })];
    for (const error of errors) {
      expect(error.stack).toContain(error.message);
      expect(error.stack).toContain(`${fileURLToPath(import.meta.url)}:`);
    }
  },
);

it.each(['production', 'development'])('with NODE_ENV=%s nothing of the stack reaches a response', async (mode) => {
  vi.stubEnv('NODE_ENV', mode);
  vi.resetModules();
  const { BadRequestError } = await import('concordat');
  const { createConnector, errorResponse } = await import('concordat/connector');
  const { z } = await import('zod');
  const parameters = z.object({});
  const connector = createConnector({ initialize: { parameters, handler: () => ({}) }, session: z.object({}) });
  connector.get('/', () => {
    throw new BadRequestError('No title', { cause: new Error('canary') });
  });
  const responses = [await connector.request('/'), errorResponse(new BadRequestError('No title'))];
  for (const response of responses) {
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ errors: { code: 'BAD_REQUEST', message: 'No title' } });
    expect(JSON.stringify([...response.headers])).not.toMatch(/stack|\.ts:/);
  }
});
