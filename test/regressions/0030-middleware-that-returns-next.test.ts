// Middleware that ends in `return next()`, as much of Hono's own does, made a 500 of every error answer behind it: what
// it returns is Hono's context, which was taken for a response. Found while two connectors were put together.
import { ForbiddenError } from 'concordat';
import { expect, test } from 'vitest';
import { errorsOf, send } from '../connector/support/send.js';
import { makeConnector, start, withToken } from '../connector/support/start.js';

test.each([
  ['return next()', true],
  ['await next() (control)', false],
])('an error behind middleware that ends in %s stays what it is (E2)', async (_how, returns) => {
  const connector = makeConnector();
  connector.use('*', async (_c, next) => {
    const done = next();
    if (returns) return done;
    await done;
  });
  connector.get('/', () => {
    throw new ForbiddenError('Not yours');
  });
  const answer = await send(await start(connector), { headers: withToken });
  expect([answer.status, errorsOf(answer).message]).toEqual([403, 'Not yours']);
});
