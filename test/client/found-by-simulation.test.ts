import { RateLimitError, UnauthorizedError } from 'concordat';
import { type ConnectorClient, InitializeError } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connectVirtually } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const ok = (exchange: Exchange) => exchange.reply(200, {});
const echoSession = (exchange: Exchange) => exchange.fail(401, 'EXPIRED', `No session ${exchange.session}`);

describe('defects that the simulation found, each with its smallest schedule', () => {
  it('a verdict shows no session value, of the newest session either (E5, S7)', async () => {
    const connector = await scriptedConnector({ guard: false });
    const { client, clock } = connectVirtually(connector, { retry: { retries: 0 } });
    const hold = holdAll();
    connector.handle = (exchange) => (exchange.number === 1 ? exchange.reply(401) : hold.handler(exchange));
    const call = track(get(client, '/refused'));
    await until(() => hold.held.length === 1);
    const other = track(get(client, '/other'));
    await until(() => hold.held.length === 2);
    const [first, second] = hold.held.splice(0);
    second?.reply(401); // the other call gets a third session
    await until(() => hold.held.length === 1);
    hold.release((exchange) => exchange.fail(500, 'BROKEN', 'A failure says nothing about the session.'));
    await until(() => other.settled);
    connector.handle = echoSession;
    first?.reply(401); // on the second session, which was fresh: it is to be tried again, by now with the third
    await grace();
    await clock.advance(1000);
    await until(() => call.settled);
    expect(call.error).toBeInstanceOf(UnauthorizedError);
    expect((call.error as Error).message).toContain('No session [redacted]');
    expect(connector.requests.at(-1)?.session).toBe('session-3');
  });

  it('a refused login that was given up and joined again is an InitializeError, with its cool-down (S5)', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const { client } = connectVirtually(connector);
    const controller = new AbortController();
    const first = track(client.get('/items', { signal: controller.signal }));
    await until(() => hold.held.length === 1);
    controller.abort();
    await until(() => first.settled);
    const second = track(get(client));
    await grace();
    hold.release((exchange) => exchange.fail(401, 'NO', 'Wrong password'));
    await until(() => second.settled);
    expect(second.error).toBeInstanceOf(InitializeError);
    expect(second.error).toMatchObject({ status: 401, refused: true });
    expect(await rejection(get(client))).toBeInstanceOf(InitializeError);
    expect(connector.logins).toHaveLength(1);
  });

  it.each([100, 5000])(
    'a wait exactly as long as maxWaitMs is waited for, with a jitter of up to %i ms (W7)',
    async (jitterMs) => {
      const connector = await scriptedConnector();
      connector.handle = (exchange) => (exchange.number === 1 ? exchange.limit(3) : ok(exchange));
      const { client, clock } = connectVirtually(connector, { rateLimit: { maxWaitMs: 3000, jitterMs } });
      const call = track(get(client));
      await until(() => client.status.paused);
      await clock.advance(3030); // the jitter is a hundredth at most
      await until(() => call.settled);
      expect(call.error).toBeUndefined();
    },
  );

  it('control: one a millisecond longer is not', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(3001) });
    const { client } = connectVirtually(connector, { rateLimit: { maxWaitMs: 3000, format: 'milliseconds' } });
    expect(await rejection(get(client))).toBeInstanceOf(RateLimitError);
  });

  it('close() ends a call that waits to recheck a fresh session', async () => {
    const connector = await scriptedConnector({ guard: false, handle: (exchange) => exchange.reply(401) });
    const { client } = connectVirtually(connector);
    const call = track(get(client));
    await until(() => connector.requests.length === 2);
    await grace();
    const closing = track(client.close());
    await until(() => call.settled && closing.settled); // although the clock stands still
    expect(call.error).toMatchObject({ code: 'CLIENT_CLOSED' });
  });

  it("close() ends a call that waits for another call's recheck", async () => {
    const connector = await scriptedConnector({ guard: false });
    const { client, clock } = connectVirtually(connector);
    const early = holdAll();
    connector.handle = early.handler;
    const calls = [track(get(client, '/a')), track(get(client, '/b'))];
    await until(() => early.held.length === 2);
    early.release((exchange) => exchange.reply(401));
    await until(() => early.held.length === 2);
    early.release((exchange) => exchange.reply(401));
    await grace();
    await clock.advance(1000);
    await until(() => early.held.length === 1); // the prober is on the wire
    const closing = track(client.close());
    await until(() => calls.filter(({ settled }) => settled).length === 1);
    expect(calls.find(({ settled }) => settled)?.error).toMatchObject({ code: 'CLIENT_CLOSED' });
    expect(closing.settled).toBe(false); // control: what is on the wire is left to finish
    early.release(ok);
    await until(() => closing.settled);
  });

  it('a pause whose last waiters were refused holds no timer that keeps the process alive (G4)', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector);
    const hold = holdAll();
    connector.handle = hold.handler;
    const calls = [track(get(client, '/a')), track(get(client, '/b'))];
    await until(() => hold.held.length === 2);
    hold.held.shift()?.limit(60);
    await until(() => client.status.paused);
    await grace();
    expect(clock.held).toBeGreaterThan(0); // control: somebody waits
    hold.held.shift()?.limit(200_000);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error instanceof RateLimitError)).toBe(true);
    expect(clock.held).toBe(0);
  });

  it('a limit that comes in after close() says when it ends (W7), and keeps the clean-up from going out (G1)', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector, { cleanup: {} });
    const hold = holdAll();
    connector.handle = hold.handler;
    const body = new Blob(['used up']).stream();
    const call = track(client.request({ method: 'POST', path: '/items', body }));
    await until(() => hold.held.length === 1);
    const closing = track(client.close());
    hold.release((exchange) => exchange.limit(60));
    await until(() => closing.settled);
    expect(call.error).toBeInstanceOf(RateLimitError);
    expect(call.error).toMatchObject({ resumeAt: new Date(clock.now() + 60_000), retryAfterMs: 60_000 });
    expect(connector.requests.map(({ path }) => path)).toEqual(['/items']);
    expect(clock.pending).toBe(0);
  });
});
