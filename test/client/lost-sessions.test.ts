import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Readable } from 'node:stream';
import { UnauthorizedError } from 'concordat';
import type { ConnectionState, ConnectorClient, RequestOptions } from 'concordat/client';
import { memoryState } from 'concordat/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connectVirtually } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';
import type { VirtualClock } from '../helpers/virtual-clock.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const ok = (exchange: Exchange) => exchange.reply(200, {});

describe('a call whose session others have used (S4)', () => {
  /** One call is refused with every session, so often at most; while it does not go first, another one gets through. */
  async function refusedAlways(most: number, options: RequestOptions<unknown> = {}) {
    const connector = await scriptedConnector({ guard: false });
    const hold = holdAll();
    connector.handle = (exchange) => (exchange.path === '/refused' ? hold.handler(exchange) : ok(exchange));
    const { client, clock } = connectVirtually(connector);
    const others = () => connector.requests.filter(({ path }) => path === '/other');
    const call = track(client.put('/refused', options));
    for (let sends = 1; sends <= most; sends++) {
      await until(() => hold.held.length === 1);
      const other = track(get(client, '/other'));
      if (sends <= 6)
        await until(() => other.settled); // the session works
      else await grace();
      const [isFirst, seen] = [sends === 7, others().length];
      if (isFirst) expect(seen).toBe(6); // the other one waits
      hold.release((exchange) => exchange.fail(401, 'SESSION_EXPIRED', 'expired'));
      await until(() => connector.open.length === 0);
      await grace();
      if (isFirst) await until(() => others().length === 7);
      await clock.advance(1000); // for a trial
      await until(() => call.settled || hold.held.length === 1);
      if (call.settled) break;
    }
    return { connector, call, hold, client, clock };
  }

  it('does not count five of its 401s, but is not refused for ever', async () => {
    const { connector, call } = await refusedAlways(20);
    expect(call.error).toBeInstanceOf(UnauthorizedError);
    // The first 401 counts always, five are put down to others, and then come the one that it went first for and its trial.
    expect(connector.requests.filter(({ path }) => path === '/refused')).toHaveLength(8);
    expect(connector.logins).toHaveLength(7);
  });

  it.each<[string, (exchange: Exchange) => void, string]>([
    ['is too large', (exchange) => exchange.reply(200, 'x'.repeat(2000)), 'RESPONSE_TOO_LARGE'],
    ['is cut off', cut, 'NETWORK_ERROR'],
  ])('has lost it, too, where what others got through with %s', async (_name, answer, code) => {
    const connector = await scriptedConnector({ guard: false });
    const hold = holdAll();
    connector.handle = (exchange) => (exchange.path === '/refused' ? hold.handler(exchange) : answer(exchange));
    const { client } = connectVirtually(connector, { maxResponseBytes: 1000 });
    const call = track(get(client, '/refused'));
    await until(() => hold.held.length === 1);
    hold.release((exchange) => exchange.reply(401));
    await until(() => hold.held.length === 1);
    expect(await rejection(client.post('/other'))).toMatchObject({ code });
    hold.release((exchange) => exchange.reply(401)); // the second one, which does not count: no trial, no second to wait
    await until(() => hold.held.length === 1);
    expect(hold.held[0]?.session).toBe('session-3');
    hold.release(ok);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
  });

  it('has lost it as soon as the head of what others got through with has arrived', async () => {
    const connector = await scriptedConnector({ guard: false });
    const hold = holdAll();
    const slow: Exchange[] = [];
    connector.handle = (exchange) => {
      if (exchange.path === '/refused') return hold.handler(exchange);
      slow.push(exchange);
      exchange.response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    };
    const { client } = connectVirtually(connector);
    const call = track(get(client, '/refused'));
    await until(() => hold.held.length === 1);
    hold.release((exchange) => exchange.reply(401));
    await until(() => hold.held.length === 1);
    let hasHead = false;
    const see = (message: unknown) => {
      const { request } = message as { request: { origin: string; path: string } };
      hasHead ||= request.origin === connector.url && request.path === '/other';
    };
    subscribe('undici:request:headers', see);
    onTestFinished(() => void unsubscribe('undici:request:headers', see));
    const other = get(client, '/other');
    await until(() => hasHead);
    await grace();
    hold.release((exchange) => exchange.reply(401));
    await until(() => hold.held.length === 1); // at once, with another session
    expect(connector.logins).toHaveLength(3);
    hold.release(ok);
    slow[0]?.response.end('}');
    await Promise.all([other, until(() => call.settled)]);
    expect(call.value).toMatchObject({ status: 200 });
  });

  it('has lost it, too, where they get through only after its 401', async () => {
    const connector = await scriptedConnector({ guard: false });
    const [refused, slow] = [holdAll(), holdAll()];
    connector.handle = (exchange) => (exchange.path === '/refused' ? refused : slow).handler(exchange);
    const { client, clock } = connectVirtually(connector);
    const call = track(get(client, '/refused'));
    const refuse = async () => {
      await until(() => refused.held.length === 1);
      refused.release((exchange) => exchange.reply(401));
    };
    await refuse();
    for (let session = 2; session <= 6; session++) {
      await until(() => refused.held.length === 1);
      const other = get(client, '/other');
      await until(() => slow.held.length === 1);
      const { sent } = client.status.counters;
      await refuse();
      await until(() => client.status.counters.sent > sent); // the 401 has arrived
      await grace();
      slow.release(ok);
      await other;
      await clock.advance(1000);
      await refuse(); // the trial
      await until(() => call.settled || refused.held.length === 1);
      expect(call.error).toBeUndefined();
    }
    refused.release(ok);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
    expect(connector.logins).toHaveLength(7);
  });

  it('control: gets through with the session after those five', async () => {
    const { connector, call, hold } = await refusedAlways(6);
    expect(call.settled).toBe(false);
    hold.release(ok);
    await until(() => call.settled);
    expect(call.value).toEqual({});
    expect(connector.logins).toHaveLength(7);
  });

  describe('goes first with the next session after those five, and the others go on', () => {
    it.each<[string, (exchange: Exchange) => void]>([
      ['if it meets a 404', (exchange) => exchange.fail(404, 'NOT_FOUND', 'gone')],
      ['if it is cut off, and sent again after a while', cut],
    ])('%s', async (_name, answer) => {
      const { hold, client } = await refusedAlways(6);
      const other = track(get(client, '/other'));
      await grace();
      expect(other.settled).toBe(false);
      hold.release(answer);
      await until(() => other.settled);
      expect(other.value).toMatchObject({ status: 200 });
    });

    async function goOnAfterThreeSeconds(client: ConnectorClient, clock: VirtualClock) {
      const other = track(get(client, '/other'));
      await clock.advance(2900);
      await grace();
      expect(other.settled).toBe(false);
      await clock.advance(100);
      await until(() => other.settled);
      expect(other.value).toMatchObject({ status: 200 });
    }

    it('if it is aborted', async () => {
      const controller = new AbortController();
      const { call, client } = await refusedAlways(6, { signal: controller.signal });
      const other = track(get(client, '/other'));
      await grace();
      expect(other.settled).toBe(false);
      controller.abort(new Error('enough'));
      await until(() => other.settled);
      expect(other.value).toMatchObject({ status: 200 });
      expect(call.error).toMatchObject({ message: 'enough' });
    });

    it('after three seconds, if its body is not there yet', async () => {
      let bodies = 0;
      let give = () => {};
      const body = async () => {
        if (++bodies === 7) await new Promise<void>((resolve) => (give = resolve));
        return Readable.from([Buffer.from('x')]);
      };
      const connector = await scriptedConnector({ guard: false });
      const refused = holdAll();
      connector.handle = (exchange) => (exchange.path === '/refused' ? refused.handler(exchange) : ok(exchange));
      const { client, clock } = connectVirtually(connector);
      const call = track(client.put('/refused', { body }));
      for (let sends = 1; sends <= 6; sends++) {
        await until(() => refused.held.length === 1);
        await get(client, '/other');
        refused.release((exchange) => exchange.reply(401));
      }
      await until(() => bodies === 7);
      await goOnAfterThreeSeconds(client, clock);
      give();
      await until(() => refused.held.length === 1);
      refused.release(ok);
      await until(() => call.settled);
      expect(call.value).toEqual({});
    });

    it('if there is a limit in its scope, and they have another', async () => {
      const connector = await scriptedConnector({ guard: false });
      const refused = holdAll();
      connector.handle = (exchange) => (exchange.path === '/refused' ? refused.handler(exchange) : ok(exchange));
      const { client, clock } = connectVirtually(connector, { rateLimit: { scope: ({ path }) => path } });
      const call = track(client.put('/refused'));
      for (let sends = 1; sends <= 6; sends++) {
        await until(() => refused.held.length === 1);
        await get(client, '/other');
        refused.release((exchange) => exchange.reply(401));
      }
      await until(() => refused.held.length === 1);
      refused.release((exchange) => exchange.limit(60));
      await until(() => client.status.paused);
      expect(await get(client, '/other')).toMatchObject({ status: 200 });
      await clock.advance(60_000);
      await until(() => refused.held.length === 1);
      refused.release(ok);
      await until(() => call.settled);
      expect(call.value).toEqual({});
    });
  });
});

describe('the recheck of a session (S4)', () => {
  it('is not over when it meets a limit: the others wait on for what comes of it', async () => {
    const connector = await scriptedConnector({ guard: false });
    const { client, clock } = connectVirtually(connector);
    const hold = holdAll();
    connector.handle = hold.handler;
    const calls = Array.from({ length: 10 }, (_, index) => track(get(client, `/${index}`)));
    for (let round = 0; round < 2; round++) {
      await until(() => hold.held.length === 10);
      hold.release((exchange) => exchange.reply(401));
    }
    await until(() => connector.open.length === 0);
    await grace();
    await clock.advance(1000);
    await until(() => hold.held.length === 1);
    hold.release((exchange) => exchange.limit(2)); // shorter than what makes sessions old
    await until(() => client.status.paused);
    await clock.advance(2000);
    await until(() => hold.held.length === 1);
    connector.handle = (exchange) => exchange.reply(401);
    hold.release((exchange) => exchange.reply(401));
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error instanceof UnauthorizedError)).toBe(true);
    expect(connector.requests).toHaveLength(10 + 10 + 2);
    expect(connector.logins).toHaveLength(2);
  });
});

describe('a pause between two 401s of a call (S4)', () => {
  async function refusedBeforeAndAfter(seconds: number) {
    const connector = await scriptedConnector({ guard: false });
    const { client, clock } = connectVirtually(connector);
    connector.handle = (exchange) => (exchange.number === 2 ? exchange.limit(seconds) : exchange.reply(401));
    const call = track(get(client));
    await until(() => client.status.paused);
    connector.handle = (exchange) => (exchange.session === 'session-3' ? ok(exchange) : exchange.reply(401));
    await clock.advance(seconds * 1000);
    await until(() => connector.requests.length > 2 && connector.open.length === 0);
    await grace();
    return { connector, clock, call };
  }

  it('starts the count anew when it is longer than a session is fresh', async () => {
    const { connector, call } = await refusedBeforeAndAfter(3600);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
    expect(connector.logins).toHaveLength(3);
  });

  it('does not when it is shorter: the second 401 is one of a fresh session', async () => {
    const { connector, clock, call } = await refusedBeforeAndAfter(2);
    expect(call.settled).toBe(false);
    await clock.advance(1000);
    await until(() => call.settled);
    expect(call.error).toBeInstanceOf(UnauthorizedError);
    expect(connector.logins).toHaveLength(2);
  });
});

describe('a recheck that is given up', () => {
  it('lets the others go on (S4, G4, G9)', async () => {
    const connector = await scriptedConnector({ guard: false });
    const { client, clock } = connectVirtually(connector);
    const hold = holdAll();
    connector.handle = hold.handler;
    const controller = new AbortController();
    const tries = track(client.get('/tries', { signal: controller.signal }));
    const waits = track(get(client, '/waits'));
    await until(() => hold.held.length === 2);
    hold.release((exchange) => exchange.reply(401));
    await until(() => hold.held.length === 2);
    hold.held.find(({ path }) => path === '/tries')?.reply(401);
    await until(() => clock.nextInMs === 1000);
    hold.held.find(({ path }) => path === '/waits')?.reply(401);
    hold.held.length = 0;
    await until(() => connector.open.length === 0);
    await grace();
    expect(connector.requests).toHaveLength(4); // control: it waits for the outcome
    connector.handle = ok;
    controller.abort();
    await until(() => tries.settled && waits.settled);
    expect(tries.error).toBe(controller.signal.reason);
    expect(waits.value).toMatchObject({ status: 200 });
  });
});

describe('a session that is refused', () => {
  it('with a stream, which cannot be sent again, is over for the others all the same (S4, G8)', async () => {
    const connector = await scriptedConnector();
    const { client } = connectVirtually(connector);
    await get(client);
    connector.expireSessions();
    const error = await rejection(client.post('/items', { body: Readable.from(['once']) }));
    expect(error).toBeInstanceOf(UnauthorizedError);
    await get(client);
    expect(connector.requests.map(({ session }) => session)).toEqual(['session-1', 'session-1', 'session-2']);
  });

  it('and is of another client begins no cool-down: only a login of its own does (S5)', async () => {
    const connector = await scriptedConnector({ guard: false });
    let generation = 0;
    const renewed: number[] = [];
    /** Another client has logged in just now, whenever this one asks. */
    const state: ConnectionState = {
      ...memoryState(),
      renew: async (expired) => {
        renewed.push(expired);
        generation = expired + 1;
        return { generation, headers: { 'x-session': `theirs-${generation}` }, ageMs: 0 };
      },
    };
    const { client, clock } = connectVirtually(connector, { state });
    connector.handle = (exchange) => exchange.reply(401);
    const call = track(get(client));
    await until(() => connector.requests.length === 2);
    await until(() => connector.open.length === 0);
    await grace();
    await clock.advance(1000); // the trial of the second one, which is lost: one more is asked for
    await until(() => call.settled);
    expect(call.error).toBeInstanceOf(UnauthorizedError);
    expect(renewed).toEqual([0, 1, 2]);
    connector.handle = (exchange) => (exchange.session === 'theirs-4' ? ok(exchange) : exchange.reply(401));
    await clock.advance(1999);
    expect(await rejection(get(client))).toBeInstanceOf(UnauthorizedError); // control: a verdict on the third one
    await clock.advance(1);
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
  });
});

function cut(exchange: Exchange) {
  exchange.response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' });
  exchange.response.write('{"half":');
  setTimeout(() => exchange.drop(), 3);
}

it('a session that has only met a 404 is replaced when it ends', async () => {
  const answers = [404, 401, 200];
  const connector = await scriptedConnector({ guard: false });
  connector.handle = (exchange) => exchange.reply(answers.shift() ?? 500);
  const { client } = connectVirtually(connector);
  expect(await rejection(get(client))).toMatchObject({ status: 404 });
  expect(await get(client)).toMatchObject({ status: 200 });
  expect(connector.logins).toHaveLength(2);
});

describe('the cool-down after a session that never worked (S5)', () => {
  it('outlasts a late verdict on a session that has been replaced', async () => {
    const connector = await scriptedConnector({ guard: false });
    const { client } = connectVirtually(connector, { freshSessionGraceMs: 0 });
    connector.handle = ok;
    await get(client); // with session 1
    const hold = holdAll();
    const refuse = (exchange: Exchange) => exchange.reply(401);
    connector.handle = (exchange) =>
      exchange.path === '/late' && exchange.session === 'session-3' ? hold.handler(exchange) : refuse(exchange);
    const late = track(get(client, '/late')); // refused with 1 and 2, too
    await until(() => hold.held.length === 1);
    expect(await rejection(get(client, '/early'))).toBeInstanceOf(UnauthorizedError); // with 3, 4 and 5
    expect(connector.logins).toHaveLength(5);
    hold.release(refuse);
    await until(() => late.settled);
    expect(late.error).toBeInstanceOf(UnauthorizedError);
    expect(String(await rejection(get(client, '/next')))).toContain('no new login yet');
    expect(connector.logins).toHaveLength(5);
  });

  it('does not begin with a verdict on a session that has been replaced: the new one gets its chance', async () => {
    const connector = await scriptedConnector({ guard: false });
    const { client } = connectVirtually(connector, { freshSessionGraceMs: 0 });
    connector.handle = ok;
    await get(client); // with session 1
    const hold = holdAll();
    const refuse = (exchange: Exchange) => exchange.reply(401);
    const isHeld = ({ path, session }: Exchange) =>
      (path === '/late' && session === 'session-3') || session === 'session-4';
    connector.handle = (exchange) => (isHeld(exchange) ? hold.handler(exchange) : refuse(exchange));
    const late = track(get(client, '/late'));
    await until(() => hold.held.length === 1);
    const next = track(get(client, '/next')); // refused with 3
    await until(() => hold.held.length === 2);
    connector.handle = ok;
    hold.release(refuse);
    await until(() => late.settled && next.settled);
    expect(late.error).toBeInstanceOf(UnauthorizedError);
    expect(next.value).toMatchObject({ status: 200 });
    expect(connector.logins).toHaveLength(5);
  });
});

it.each([5, 3600])(
  'a trial that waits out a limit of %i s says nothing: the session may have ended meanwhile (S4)',
  async (wait) => {
    const connector = await scriptedConnector({ guard: false });
    const { client, clock } = connectVirtually(connector);
    connector.handle = (exchange) => {
      if (exchange.session === 'session-3') return ok(exchange);
      return connector.requests.length === 3 ? exchange.limit(wait) : exchange.reply(401);
    };
    const first = track(get(client));
    await until(() => connector.logins.length === 2 && connector.open.length === 0);
    const second = track(get(client)); // waits for the outcome of the trial
    expect(await clock.runUntil(get(client))).toMatchObject({ status: 200 });
    expect([first.value, second.value]).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(connector.logins).toHaveLength(3);
  },
);
