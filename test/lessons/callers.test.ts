import { describe, expect, it } from 'vitest';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, until } from '../helpers/until.js';

describe("a caller's own timeout is not a transient failure (G7)", () => {
  it('one request is sent, and the error is the one of the signal', async () => {
    const connector = await scriptedConnector({ handle: () => {} });
    const controller = new AbortController();
    const call = rejection(connect(connector).get('/items', { signal: controller.signal }));
    await until(() => connector.requests.length === 1);
    controller.abort(new DOMException('Too slow for this caller', 'TimeoutError')); // as AbortSignal.timeout does
    const error = await call;
    expect(error).toMatchObject({ name: 'TimeoutError' });
    await grace();
    expect(connector.requests).toHaveLength(1);
  });

  it("control: the client's time-out of a try is, and a GET is sent again", async () => {
    const connector = await scriptedConnector({
      handle: ({ number, reply }) => number > 1 && reply(200, { number }),
    });
    // On a busy machine a later attempt may time out, too.
    const answer = await connect(connector, { timeoutMs: 250, retry: { retries: 20 } }).get<{ number: number }>(
      '/items',
    );
    expect(answer.number).toBeGreaterThan(1);
  });
});

describe('errors of one call do not count against another (G5)', () => {
  it('each has all of its retries, however often others failed before', async () => {
    const tries = new Map<string, number>();
    const connector = await scriptedConnector({
      handle: ({ path, fail, reply }) => {
        const count = (tries.get(path) ?? 0) + 1;
        tries.set(path, count);
        return count <= 3 ? fail(503, 'BUSY', 'Busy') : reply(200, { path });
      },
    });
    const client = connect(connector, { retry: { retries: 3 } });
    const paths = Array.from({ length: 20 }, (_, index) => `/items/${index}`);
    expect(await Promise.all(paths.map((path) => client.get(path)))).toEqual(paths.map((path) => ({ path })));
  });
});
