import { afterEach, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

/** The package as a process with this NODE_ENV loads it: it is read once. */
async function load(environment: string) {
  vi.stubEnv('NODE_ENV', environment);
  vi.resetModules();
  return import('concordat');
}

const framesOf = (error: Error) => error.stack?.split('\n').filter((line) => /^\s+at /.test(line)).length;

it('in production an error that a connector throws on purpose has no frames (decision 19)', async () => {
  const { ForbiddenError, NotFoundError, RateLimitError } = await load('production');
  for (const error of [
    new ForbiddenError(),
    new NotFoundError('gone'),
    new RateLimitError('later', { retryAfterMs: 1 }),
  ]) {
    expect(framesOf(error)).toBe(0);
    expect(error.stack).toContain(error.message);
  }
});

it('control: it has them everywhere else, a defect has them in production too, and so has whatever is thrown next', async () => {
  const development = await load('test');
  expect(framesOf(new development.NotFoundError('gone'))).toBeGreaterThan(0);
  const { ConnectorError, NotFoundError } = await load('production');
  expect(framesOf(new ConnectorError('broken', { status: 500 }))).toBeGreaterThan(0);
  new NotFoundError('gone');
  expect(framesOf(new Error('another'))).toBeGreaterThan(0);
});

it('in production, where `Error.stackTraceLimit` cannot be set, errors are made all the same', async () => {
  const { NotFoundError } = await load('production');
  const limit = Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit') as PropertyDescriptor;
  Object.defineProperty(Error, 'stackTraceLimit', { value: 10, writable: false, configurable: true });
  try {
    expect(framesOf(new NotFoundError('gone'))).toBeGreaterThan(0);
  } finally {
    Object.defineProperty(Error, 'stackTraceLimit', limit);
  }
});
