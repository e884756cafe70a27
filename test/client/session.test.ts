import { isConnectorError, UnauthorizedError } from 'concordat';
import type { ConnectorClient } from 'concordat/client';
import type { VirtualClock } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { connect, connectVirtually } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const ok = (exchange: Exchange) => exchange.reply(200, { session: exchange.session });

describe('the first login (S3)', () => {
  it('happens with the first request, not before', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await grace();
    expect(connector.logins).toHaveLength(0);
    expect(client.status.session).toBe('none');
    await get(client);
    expect(connector.logins).toHaveLength(1);
    expect(connector.requests[0]?.session).toBe('session-1');
    expect(client.status.session).toBe('active');
  });

  it('is shared by all concurrent requests', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await Promise.all(many(50, () => get(client)));
    expect(connector.logins).toHaveLength(1);
    expect(connector.requests).toHaveLength(50);
    expect(connector.requests.every(({ session }) => session === 'session-1')).toBe(true);
  });

  it('lets no request out before it is done', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ initialize: hold.handler });
    const client = connect(connector);
    const calls = many(5, () => get(client));
    await until(() => hold.held.length === 1);
    await grace();
    expect(connector.requests).toHaveLength(0);
    expect(client.status.session).not.toBe('active');
    hold.release(connector.logIn);
    await Promise.all(calls);
    expect(connector.requests).toHaveLength(5);
  });

  it('is not repeated for later requests', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    for (let round = 0; round < 5; round++) await get(client);
    expect(connector.logins).toHaveLength(1);
  });

  it('belongs to one client: another one logs in for itself', async () => {
    const connector = await scriptedConnector();
    await Promise.all([get(connect(connector)), get(connect(connector))]);
    expect(connector.logins).toHaveLength(2);
  });
});

describe('a 401 (S4)', () => {
  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])(
    'logs in again and sends the %s again, whatever its method (G7)',
    async (method) => {
      const connector = await scriptedConnector();
      const client = connect(connector);
      await get(client);
      connector.expireSessions();
      const { status } = await client.request({ method, path: '/items' });
      expect(status).toBe(200);
      expect(connector.logins).toHaveLength(2);
      expect(connector.requests.slice(1).map((request) => [request.method, request.session])).toEqual([
        [method, 'session-1'],
        [method, 'session-2'],
      ]);
    },
  );

  it('logs in again with retry.retries: 0, which is about transient failures only', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector, { retry: { retries: 0 } });
    await get(client);
    connector.expireSessions();
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
  });

  it.each([
    ['HTML', '<html>Please sign in</html>', 'text/html'],
    ['nothing', '', 'text/plain'],
    ['cut JSON', '{"errors":{"co', 'application/json'],
    ['another API body', '{"error":"expired"}', 'application/json'],
  ])('counts with %s as its body (E7)', async (_name, body, contentType) => {
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) =>
      exchange.session === 'session-1' ? exchange.reply(401, body, { 'content-type': contentType }) : ok(exchange);
    await expect(get(connect(connector))).resolves.toMatchObject({ data: { session: 'session-2' } });
  });

  it('beats any idea of the age of a session: the first 401 of a request always logs in', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) => (exchange.session === 'session-1' ? exchange.reply(401) : ok(exchange));
    const { client } = connectVirtually(connector); // not a millisecond passes between the login and the 401
    await expect(get(client)).resolves.toMatchObject({ data: { session: 'session-2' } });
    expect(connector.logins).toHaveLength(2);
    expect(connector.requests).toHaveLength(2);
  });

  it('shows while it logs in again', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await get(client);
    connector.expireSessions();
    const hold = holdAll();
    connector.initialize = hold.handler;
    const call = get(client);
    await until(() => hold.held.length === 1);
    expect(client.status.session).toBe('renewing');
    hold.release(connector.logIn);
    await call;
    expect(client.status.session).toBe('active');
  });
});

describe('a storm of 401s makes one login per expiry (S3, S4)', () => {
  it('300 concurrent requests, three expiries', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector, { concurrency: 300 });
    await get(client);
    for (let expiry = 1; expiry <= 3; expiry++) {
      connector.expireSessions();
      const answers = await Promise.all(many(300, (index) => get(client, `/items/${index}`)));
      expect(answers.every(({ status }) => status === 200)).toBe(true);
      expect(connector.logins).toHaveLength(expiry + 1);
    }
  });

  it('the same with the default number of connections', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await get(client);
    for (let expiry = 1; expiry <= 3; expiry++) {
      connector.expireSessions();
      await Promise.all(many(300, (index) => get(client, `/items/${index}`)));
      expect(connector.logins).toHaveLength(expiry + 1);
    }
  });

  it('late 401s adopt the newer session', async () => {
    const connector = await scriptedConnector({ guard: false });
    const client = connect(connector, { concurrency: 300 });
    await get(client);
    const hold = holdAll();
    connector.handle = (exchange) => (exchange.session === 'session-1' ? hold.handler(exchange) : ok(exchange));
    const calls = many(300, () => get(client));
    await until(() => hold.held.length === 300);
    const late = hold.held.splice(10);
    hold.release((exchange) => exchange.reply(401)); // ten at once …
    await until(() => connector.requests.filter(({ session }) => session === 'session-2').length === 10);
    for (const exchange of late) exchange.reply(401); // … 290 long after the new session
    const answers = await Promise.all(calls);
    expect(new Set(answers.map(({ data }) => (data as { session: string }).session))).toEqual(new Set(['session-2']));
    expect(connector.logins).toHaveLength(2);
  });

  it('requests started during the login wait for it instead of using the dead session', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await get(client);
    connector.expireSessions();
    const hold = holdAll();
    connector.initialize = hold.handler;
    const first = get(client);
    await until(() => hold.held.length === 1);
    const seen = connector.requests.length;
    const others = many(20, () => get(client));
    await grace();
    expect(connector.requests).toHaveLength(seen);
    hold.release(connector.logIn);
    await Promise.all([first, ...others]);
    expect(connector.requests.slice(seen).every(({ session }) => session === 'session-2')).toBe(true);
  });

  it('sessions that die after 100 requests each carry 1,000 requests through', async () => {
    const used = new Map<string | undefined, number>();
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) => {
      const count = (used.get(exchange.session) ?? 0) + 1;
      used.set(exchange.session, count);
      return count > 100 ? exchange.fail(401, 'SESSION_EXPIRED', 'expired') : ok(exchange);
    };
    const client = connect(connector, { concurrency: 50 });
    const answers = await Promise.all(many(1000, () => get(client)));
    expect(answers).toHaveLength(1000);
    expect(connector.logins).toHaveLength(10);
  });
});

describe('sessions that are good for few requests (S4)', () => {
  /** Lets the time pass in which fresh sessions are tried again. */
  async function endOf(calls: Promise<unknown>, clock: VirtualClock) {
    const ended = track(calls);
    while (!ended.settled) {
      await grace();
      await clock.advance(1000);
    }
  }

  async function usedUpAfter(most: number, refused = '') {
    const used = new Map<string | undefined, number>();
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) => {
      const count = (used.get(exchange.session) ?? 0) + 1;
      used.set(exchange.session, count);
      const refuses = count > most || (refused !== '' && exchange.path.startsWith(refused));
      return refuses ? exchange.fail(401, 'SESSION_EXPIRED', 'expired') : ok(exchange);
    };
    return connector;
  }

  it('a call whose sessions others use up again and again is no refusal', async () => {
    const connector = await usedUpAfter(12);
    const { client, clock } = connectVirtually(connector, { concurrency: 20 });
    const calls = Promise.all(many(100, () => get(client)));
    await endOf(calls, clock);
    expect(await calls).toHaveLength(100);
  });

  it('control: a request that every session refuses ends, though others get through meanwhile', async () => {
    const connector = await usedUpAfter(12, '/refused');
    const { client, clock } = connectVirtually(connector, { concurrency: 20 });
    const others = Promise.all(many(100, () => get(client)));
    const refused = rejection(client.get('/refused'));
    await endOf(Promise.all([others, refused]), clock);
    expect(await refused).toBeInstanceOf(UnauthorizedError);
    expect(await others).toHaveLength(100);
    expect(connector.requests.filter(({ path }) => path === '/refused').length).toBeLessThanOrEqual(8);
  });
});

describe('a second 401 (S4)', () => {
  it('is tried once more after a short delay: a session may need a moment to be known everywhere', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) => (exchange.number <= 2 ? exchange.reply(401) : ok(exchange));
    const { client, clock } = connectVirtually(connector);
    const call = track(get(client));
    await until(() => connector.requests.length === 2);
    await grace();
    expect(connector.requests).toHaveLength(2); // not at once
    expect(call.settled).toBe(false);
    await clock.advance(3000);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ data: { session: 'session-2' } });
    expect(connector.requests).toHaveLength(3);
    expect(connector.logins).toHaveLength(2);
  });

  it('is final after that: UnauthorizedError after 3 attempts and 2 logins, with the message of the connector', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) => exchange.fail(401, 'USER_LOCKED', 'The user is locked');
    const { client, clock } = connectVirtually(connector);
    const call = track(get(client));
    await until(() => connector.requests.length === 2);
    await clock.advance(3000);
    await until(() => call.settled);
    expect(call.error).toBeInstanceOf(UnauthorizedError);
    expect(call.error).toMatchObject({ status: 401, code: 'USER_LOCKED', origin: 'connector' });
    expect((call.error as Error).message).toContain('The user is locked');
    await clock.advance(60_000);
    expect(connector.requests).toHaveLength(3);
    expect(connector.logins).toHaveLength(2);
  });

  it('sends one probe: the others wait for its result', async () => {
    const connector = await scriptedConnector({ guard: false });
    const { client, clock } = connectVirtually(connector, { concurrency: 20 });
    const first = holdAll();
    const second = holdAll();
    const third = holdAll();
    connector.handle = (exchange) =>
      (exchange.number <= 20 ? first : exchange.number <= 40 ? second : third).handler(exchange);
    const calls = many(20, () => track(get(client)));
    await until(() => first.held.length === 20);
    first.release((exchange) => exchange.reply(401));
    await until(() => second.held.length === 20);
    second.release((exchange) => exchange.reply(401));
    await until(() => connector.open.length === 0);
    await grace();
    await clock.advance(3000);
    await until(() => third.held.length > 0);
    await grace();
    expect(third.held).toHaveLength(1);
    third.release(ok);
    await until(() => third.held.length === 19);
    third.release(ok);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error === undefined)).toBe(true);
    expect(connector.logins).toHaveLength(2);
  });

  it('a verdict on the prober is one for all: 20 requests make 2 logins, and none is sent more than 3 times', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) => exchange.fail(401, 'USER_LOCKED', 'The user is locked');
    const { client, clock } = connectVirtually(connector, { concurrency: 20 });
    const calls = many(20, (index) => track(get(client, `/items/${index}`)));
    for (let step = 0; step < 20; step++) {
      await grace(2);
      await clock.advance(1000);
    }
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error instanceof UnauthorizedError)).toBe(true);
    for (let index = 0; index < 20; index++) {
      const sends = connector.requests.filter(({ path }) => path === `/items/${index}`);
      expect(sends.length).toBeLessThanOrEqual(3);
    }
    expect(connector.logins.length).toBeLessThanOrEqual(3);
  });

  it('the verdict does not outlast the cause: the next call logs in and goes through', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.handle = (exchange) => exchange.reply(401);
    const { client, clock } = connectVirtually(connector);
    const call = track(get(client));
    await until(() => connector.requests.length === 2);
    await clock.advance(3000);
    await until(() => call.settled);
    connector.handle = (exchange) => (exchange.session === 'session-2' ? exchange.reply(401) : ok(exchange));
    const next = track(get(client));
    await until(() => next.settled || connector.requests.length > 3);
    await clock.advance(3000);
    await until(() => next.settled);
    expect(next.value).toMatchObject({ status: 200 });
  });

  it('with a session that was no longer young logs in again: that is an expiry like any other', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector);
    await get(client);
    const hold = holdAll();
    connector.handle = (exchange) => (exchange.path === '/slow' ? hold.handler(exchange) : ok(exchange));
    const slow = track(get(client, '/slow'));
    await until(() => hold.held.length === 1); // with session-1
    connector.expireSessions();
    await get(client); // brings session-2
    await clock.advance(10_000);
    connector.expireSessions(); // and session-2 has had its time, too
    connector.handle = ok;
    hold.release((exchange) => exchange.reply(401));
    await until(() => slow.settled);
    expect(slow.error).toBeUndefined();
    expect(slow.value).toMatchObject({ data: { session: 'session-3' } });
    expect(connector.requests.filter(({ path }) => path === '/slow').map(({ session }) => session)).toEqual([
      'session-1',
      'session-2',
      'session-3',
    ]);
  });
});

describe('what a session is made of', () => {
  it('a new session replaces the old headers whole', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.initialize = (exchange) =>
      exchange.reply(200, exchange.number === 1 ? { 'x-session': 'one', 'x-tenant': 'blue' } : { 'x-session': 'two' });
    connector.handle = (exchange) => (exchange.session === 'one' ? exchange.reply(401) : ok(exchange));
    await get(connect(connector));
    expect(connector.requests.map(({ headers }) => [headers['x-session'], headers['x-tenant']])).toEqual([
      ['one', 'blue'],
      ['two', undefined],
    ]);
  });

  it('every later request carries every value', async () => {
    const connector = await scriptedConnector({ guard: false });
    connector.initialize = (exchange) =>
      exchange.reply(200, [
        { key: 'X-Session', value: 'one', sensitive: true },
        { key: 'Authorization', value: 'Bearer b', sensitive: true },
        { key: 'x-empty', value: '', sensitive: false },
      ]);
    const client = connect(connector);
    await get(client);
    await client.request({ method: 'POST', path: '/items', json: {}, headers: { 'x-own': '1' } });
    for (const { headers } of connector.requests) {
      expect(headers).toMatchObject({ 'x-session': 'one', authorization: 'Bearer b', 'x-empty': '' });
    }
    expect(connector.requests[1]?.headers['x-own']).toBe('1');
  });

  it('initialize never carries the old session and never logs in for itself (S5)', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await get(client);
    connector.expireSessions();
    await get(client);
    connector.expireSessions();
    connector.initialize = (exchange) => exchange.fail(401, 'BAD_PASSWORD', 'Wrong password');
    await rejection(get(client));
    expect(connector.logins).toHaveLength(3);
    for (const { headers } of connector.logins) expect(headers).not.toHaveProperty('x-session');
    expect(connector.requests[0]?.headers).toHaveProperty('x-session'); // control
  });

  it('a session that dies during a long pause is renewed after it: headers are built after waking', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector);
    await get(client);
    connector.handle = (exchange) => exchange.limit(3600);
    const calls = [track(get(client))];
    await until(() => client.status.paused);
    calls.push(...many(9, () => track(get(client))));
    connector.expireSessions();
    connector.handle = ok;
    const seen = connector.requests.length;
    await clock.advance(3_600_000);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ value }) => value !== undefined)).toBe(true);
    expect(connector.logins).toHaveLength(2);
    const dead = connector.requests.slice(seen).filter(({ session }) => session === 'session-1');
    expect(dead.length).toBe(1); // only the one that found out
  });
});

describe('sessions stay secret (S7)', () => {
  it('an UnauthorizedError shows neither the session nor the password', async () => {
    const secret = 'canary-session-value';
    const connector = await scriptedConnector({ guard: false });
    connector.initialize = (exchange) => exchange.reply(200, { 'x-session': secret });
    connector.handle = (exchange) => exchange.fail(401, 'EXPIRED', `session ${exchange.session} is dead`);
    const client = connect(connector, { freshSessionGraceMs: 0 });
    const error = await rejection(get(client));
    expect(isConnectorError(error, 'unauthorized')).toBe(true);
    const { inspect } = await import('node:util');
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(secret);
    expect(JSON.stringify(error)).not.toContain(secret);
    expect(JSON.stringify(error.toPayload())).not.toContain(secret);
  });
});
