import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { ForbiddenError, parseWait, RateLimitError, type WaitFormat } from 'concordat';
import type { ClientEvents, ConnectorClient } from 'concordat/client';
import { Agent, Client, type Dispatcher, Pool } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, connectVirtually } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const ok = (exchange: Exchange) => exchange.reply(200, { path: exchange.path });
const hourMs = 3_600_000;

/** Answers the first request with `refusal`, all later ones with 200. */
const once = (refusal: (exchange: Exchange) => void) => (exchange: Exchange) =>
  exchange.number === 1 ? refusal(exchange) : ok(exchange);

function pausesOf(client: ConnectorClient) {
  const pauses: ClientEvents['pause'][] = [];
  client.on('pause', (pause) => pauses.push(pause));
  return pauses;
}

describe('a 403 with the wait header is a rate limit (W2)', () => {
  it('is waited for, to the millisecond, and the request goes through', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(3600)) });
    const { client, clock } = connectVirtually(connector);
    const call = track(get(client));
    await until(() => client.status.paused);
    expect(client.status.resumeAt).toEqual(new Date(clock.now() + hourMs));
    await clock.advance(hourMs - 1);
    await grace();
    expect(connector.requests).toHaveLength(1);
    expect(client.status.paused).toBe(true);
    await clock.advance(1);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
    expect(connector.requests).toHaveLength(2);
    expect(client.status).toMatchObject({ paused: false, resumeAt: undefined });
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('%s is sent again, whatever its method (G7)', async (method) => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(1)) });
    const { client, clock } = connectVirtually(connector, { retry: { retries: 0 } });
    const call = track(client.request({ method, path: '/items', json: { a: 1 } }));
    await until(() => client.status.paused);
    await clock.advance(1000);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
    expect(connector.requests.map(({ body }) => String(body))).toEqual(['{"a":1}', '{"a":1}']);
  });

  it.each([
    ['HTML', '<html>'],
    ['nothing', ''],
    ['a body that says access denied', '{"errors":{"code":"FORBIDDEN","message":"Access denied"}}'],
  ])('whatever the body holds: %s (E7)', async (_name, body) => {
    const connector = await scriptedConnector({
      handle: once((exchange) => exchange.reply(403, body, { 'retry-after': '5' })),
    });
    const { client, clock } = connectVirtually(connector);
    const call = track(get(client));
    await until(() => client.status.paused);
    await clock.advance(5000);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
  });

  it('control: a 403 without the wait header is a denial, at once and after one request', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.fail(403, 'RATE_LIMITED', 'Rate limit exceeded, retry after 60 seconds'),
    });
    const { client } = connectVirtually(connector);
    const error = await rejection(get(client));
    expect(error).toBeInstanceOf(ForbiddenError);
    expect(error).not.toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ kind: 'forbidden', status: 403, code: 'RATE_LIMITED', origin: 'connector' });
    expect(client.status.paused).toBe(false);
    expect(connector.requests).toHaveLength(1);
  });

  it('a denial pauses nobody else', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => (exchange.path === '/secret' ? exchange.reply(403) : ok(exchange));
    const client = connect(connector);
    const [denied, fine] = await Promise.allSettled([get(client, '/secret'), get(client, '/open')]);
    expect([denied.status, fine.status]).toEqual(['rejected', 'fulfilled']);
  });
});

describe('the header and its format are options (W1, W4)', () => {
  const start = Date.UTC(2026, 10, 21, 9);
  it.each<[WaitFormat, string, number]>([
    ['auto', '90', 90_000],
    ['auto', 'Sat, 21 Nov 2026 09:01:30 GMT', 90_000],
    ['auto', 'Saturday, 21-Nov-26 09:01:30 GMT', 90_000],
    ['auto', 'Sat Nov 21 09:01:30 2026', 90_000],
    ['seconds', '90', 90_000],
    ['seconds', '0090', 90_000],
    ['seconds', '10, 90', 90_000],
    ['milliseconds', '250', 250],
    ['http-date', 'Sat, 21 Nov 2026 09:01:30 GMT', 90_000],
    ['http-date', 'Sat, 21 Nov 2026 09:00:30 GMT, Sat, 21 Nov 2026 09:01:30 GMT', 90_000],
    ['epoch-seconds', String(start / 1000 + 90), 90_000],
    ['epoch-milliseconds', String(start + 250), 250],
    ['iso-8601', '2026-11-21T09:01:30Z', 90_000],
  ])('%s: %s', async (format, value, waitMs) => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(value, 'x-wait')) });
    const { client, clock } = connectVirtually(connector, { rateLimit: { header: 'X-Wait', format } });
    const pauses = pausesOf(client);
    const call = track(get(client));
    await until(() => client.status.paused);
    expect(clock.now()).toBe(start);
    expect(pauses).toMatchObject([
      { reason: 'rate-limit', waitMs, source: 'header', resumeAt: new Date(start + waitMs) },
    ]);
    await clock.advance(waitMs - 1);
    await grace(5);
    expect(connector.requests).toHaveLength(1);
    await clock.advance(1);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
  });

  it('another header does not count: Retry-After is a denial where X-Wait was agreed on (W2)', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(60) });
    const client = connect(connector, { rateLimit: { header: 'X-Wait' } });
    expect(await rejection(get(client))).toBeInstanceOf(ForbiddenError);
  });

  it('headers sent twice: the longest valid wait wins (W4)', async () => {
    const connector = await scriptedConnector({
      handle: once((exchange) => exchange.reply(403, undefined, { 'retry-after': ['60', 'soon', '120'] })),
    });
    const { client } = connectVirtually(connector);
    const pauses = pausesOf(client);
    const call = track(get(client));
    await until(() => client.status.paused);
    expect(pauses[0]).toMatchObject({ waitMs: 120_000, source: 'header' });
    expect(call.settled).toBe(false);
  });

  it.each([
    ['Date outranks a wrong local clock', { date: 'Sat, 21 Nov 2026 12:00:00 GMT' }, 120_000],
    ['with Age, the local clock counts', { date: 'Sat, 21 Nov 2026 12:00:00 GMT', age: '0' }, 3 * hourMs + 120_000],
    ['a bad Date leaves the local clock', { date: 'noon' }, 3 * hourMs + 120_000],
  ])('absolute times: %s (W5)', async (_name, headers, waitMs) => {
    const connector = await scriptedConnector({
      handle: once((exchange) =>
        exchange.reply(403, undefined, { 'retry-after': 'Sat, 21 Nov 2026 12:02:00 GMT', ...headers } as never),
      ),
    });
    const { client } = connectVirtually(connector);
    const pauses = pausesOf(client);
    track(get(client));
    await until(() => client.status.paused);
    expect(pauses[0]).toMatchObject({ waitMs, source: 'header' });
  });

  it.each(['0', 'Thu, 01 Jan 1970 00:00:00 GMT'])('a wait of zero (%s) is sent again at once (W5)', async (value) => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(value)) });
    await expect(get(connect(connector))).resolves.toMatchObject({ status: 200 });
    expect(connector.requests).toHaveLength(2);
  });

  it('a connector that says "now" for ever is not asked in a tight loop', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(0) });
    const client = connect(connector);
    const controller = new AbortController();
    const call = track(client.request({ method: 'GET', path: '/', signal: controller.signal }));
    await grace(200);
    controller.abort();
    await until(() => call.settled);
    expect(connector.requests.length).toBeLessThan(30);
  });
});

describe('429 and 503 (W3)', () => {
  it.each([
    ['429 with the header', 429, { 'retry-after': '30' }, 30_000, 'header'],
    ['429 without it', 429, {}, 60_000, 'fallback'],
    ['503 with the header', 503, { 'retry-after': '30' }, 30_000, 'header'],
    ['503 with an invalid header', 503, { 'retry-after': 'soon' }, 60_000, 'fallback'],
  ] as const)('%s is a limit, even with retries: 0 and for a POST', async (_name, status, headers, waitMs, source) => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.fail(status, 'X', 'x', headers)) });
    const { client, clock } = connectVirtually(connector, { retry: { retries: 0 } });
    const pauses = pausesOf(client);
    const call = track(client.request({ method: 'POST', path: '/items', json: 1 }));
    await until(() => client.status.paused);
    expect(pauses[0]).toMatchObject({ waitMs, source });
    await clock.advance(waitMs);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
  });

  it.each([400, 404, 500, 502])('control: %i with the header is a failure, not a limit', async (status) => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.fail(status, 'X', 'x', { 'retry-after': '30' }),
    });
    const { client } = connectVirtually(connector, { retry: { retries: 0 } });
    expect(await rejection(get(client))).toMatchObject({ status, code: 'X' });
    expect(client.status.paused).toBe(false);
  });

  it('control: 503 without the header is a failure, not a limit', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.fail(503, 'DOWN', 'down') });
    const { client } = connectVirtually(connector, { retry: { retries: 0 } });
    expect(await rejection(get(client))).toMatchObject({ kind: 'other', status: 503 });
    expect(client.status.paused).toBe(false);
  });
});

describe('a header that is there but invalid (W6)', () => {
  it.each(['', '-3', '1.5', '0x10', 'soon', '60abc', 'Fri, 31 Feb 2026 00:00:00 GMT', '2026-11-21T09:01:30Z'])(
    '%j is a limit with the fallback wait, and the event says so',
    async (value) => {
      const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(value)) });
      const { client, clock } = connectVirtually(connector);
      const pauses = pausesOf(client);
      const call = track(get(client));
      await until(() => client.status.paused);
      expect(pauses).toMatchObject([{ waitMs: 60_000, source: 'fallback' }]);
      await clock.advance(59_999);
      await grace(5);
      expect(connector.requests).toHaveLength(1);
      await clock.advance(1);
      await until(() => call.settled);
      expect(call.value).toMatchObject({ status: 200 });
    },
  );

  it('doubles on repeats up to 15 minutes', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit('soon') });
    const { client, clock } = connectVirtually(connector);
    const pauses = pausesOf(client);
    track(get(client));
    for (const [index, minutes] of [1, 2, 4, 8, 15, 15, 15].entries()) {
      await until(() => pauses.length === index + 1);
      expect(pauses[index]).toMatchObject({ waitMs: minutes * 60_000, source: 'fallback' });
      await clock.advance(minutes * 60_000);
    }
  });

  it('starts anew after a request went through', async () => {
    const answers = ['soon', 'soon', 'fine', 'soon'];
    const connector = await scriptedConnector();
    connector.handle = (exchange) => (answers.shift() === 'soon' ? exchange.limit('soon') : ok(exchange));
    const { client, clock } = connectVirtually(connector);
    const pauses = pausesOf(client);
    for (let round = 0; round < 2; round++) {
      const call = track(get(client));
      for (let step = 0; step < 40 && !call.settled; step++) {
        await clock.advance(10_000);
        await grace(2);
      }
      await until(() => call.settled);
    }
    expect(pauses.map(({ waitMs }) => waitMs)).toEqual([60_000, 120_000, 60_000]);
  });

  it('has the wait that the option says', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit('soon')) });
    const { client } = connectVirtually(connector, { rateLimit: { fallbackWaitMs: 5000 } });
    const pauses = pausesOf(client);
    track(get(client));
    await until(() => client.status.paused);
    expect(pauses[0]?.waitMs).toBe(5000);
  });
});

describe('a wait is never shortened (W7)', () => {
  it.each([
    ['the default of a day', undefined, 86_400],
    ['an own bound', 5000, 5],
  ])('one as long as maxWaitMs is waited for: %s', async (_name, maxWaitMs, seconds) => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(seconds)) });
    const { client, clock } = connectVirtually(connector, { rateLimit: maxWaitMs === undefined ? {} : { maxWaitMs } });
    const call = track(get(client));
    await until(() => client.status.paused);
    await clock.advance(seconds * 1000 - 1);
    expect(call.settled).toBe(false);
    await clock.advance(1);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
  });

  it.each([
    ['the default of a day', undefined, 86_401],
    ['an own bound', 5000, 6],
    ['more digits than a double holds', undefined, '9'.repeat(400)],
  ])('a longer one is not slept: RateLimitError with resumeAt (%s)', async (_name, maxWaitMs, wait) => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(wait) });
    const { client, clock } = connectVirtually(connector, { rateLimit: maxWaitMs === undefined ? {} : { maxWaitMs } });
    const error = await rejection(get(client));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ kind: 'rate-limit', status: 403, code: 'RATE_LIMITED' });
    expect(error.message).toContain('Too many calls');
    expect(error.resumeAt).toBeInstanceOf(Date);
    if (typeof wait === 'number') {
      expect(error.resumeAt).toEqual(new Date(clock.now() + wait * 1000));
      expect(error.retryAfterMs).toBe(wait * 1000);
    } else {
      expect(error.resumeAt.getTime()).toBeGreaterThan(clock.now() + 365 * 24 * hourMs);
    }
    expect(connector.requests).toHaveLength(1);
  });

  it('and nothing else is sent before its time either: other calls reject at once with the same resumeAt', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(172_800)) });
    const { client, clock } = connectVirtually(connector);
    const { resumeAt } = await rejection(get(client));
    await clock.advance(hourMs);
    const error = await rejection(get(client));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.resumeAt).toEqual(resumeAt);
    expect(connector.requests).toHaveLength(1);
    await clock.advance(172_800_000 - hourMs);
    await expect(get(client)).resolves.toMatchObject({ status: 200 }); // control: the time has come
  });

  it('a call that waits already is not sent early when the pause grows beyond maxWaitMs', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector);
    const hold = holdAll();
    connector.handle = hold.handler;
    const calls = many(2, (index) => track(get(client, `/${index}`)));
    await until(() => hold.held.length === 2);
    const [first, second] = hold.held.splice(0);
    first?.limit(3600);
    await until(() => client.status.paused);
    second?.limit(172_800);
    connector.handle = ok;
    await clock.advance(2 * hourMs);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error instanceof RateLimitError)).toBe(true);
    expect(connector.requests).toHaveLength(2);
  });

  it('30 days do not overflow into "now" on the machine\'s own clock', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(2_592_000) });
    const client = connect(connector, { rateLimit: { maxWaitMs: Number.POSITIVE_INFINITY } });
    const controller = new AbortController();
    const call = track(client.request({ method: 'GET', path: '/', signal: controller.signal }));
    await until(() => client.status.paused);
    await grace(50);
    expect(connector.requests).toHaveLength(1);
    controller.abort();
    await until(() => call.settled);
  });
});

describe('one gate for all (G1)', () => {
  it('during a pause nothing new arrives, whatever is asked for', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(3600)) });
    const { client, clock } = connectVirtually(connector);
    const first = track(get(client));
    await until(() => client.status.paused);
    const others = many(100, (index) =>
      track(client.request({ method: index % 2 ? 'GET' : 'POST', path: `/items/${index}` })),
    );
    for (let minute = 0; minute < 59; minute++) await clock.advance(60_000);
    await grace();
    expect(connector.requests).toHaveLength(1);
    await clock.advance(60_000);
    await until(() => [first, ...others].every(({ settled }) => settled));
    expect([first, ...others].every(({ error }) => error === undefined)).toBe(true);
    expect(connector.requests).toHaveLength(102);
  });

  it('requests in flight are left to finish', async () => {
    const connector = await scriptedConnector();
    const { client } = connectVirtually(connector);
    const hold = holdAll();
    connector.handle = hold.handler;
    const calls = many(3, (index) => track(get(client, `/${index}`)));
    await until(() => hold.held.length === 3);
    hold.held.shift()?.limit(3600);
    await until(() => client.status.paused);
    hold.release(ok);
    await until(() => calls.filter(({ settled }) => settled).length === 2);
    expect(client.status.paused).toBe(true);
    expect(calls.filter(({ value }) => value !== undefined)).toHaveLength(2);
  });

  const dispatchers: [string, (url: string) => Dispatcher][] = [
    ['a Pool with one connection', (url) => new Pool(url, { connections: 1 })],
    ['a Client', (url) => new Client(url)],
    ['an Agent with one connection', () => new Agent({ connections: 1 })],
    ['a composed dispatcher', (url) => new Pool(url, { connections: 1 }).compose((dispatch) => dispatch)],
  ];
  it.each(dispatchers)('requests queued inside %s are not in flight: they stay', async (_name, make) => {
    const connector = await scriptedConnector();
    const dispatcher = make(connector.url);
    onTestFinished(() => dispatcher.destroy());
    const { client, clock } = connectVirtually(connector, { dispatcher });
    await get(client);
    connector.handle = (exchange) => (exchange.number === 2 ? exchange.limit(3600) : ok(exchange));
    const calls = many(20, (index) => track(get(client, `/${index}`)));
    await until(() => client.status.paused);
    await clock.advance(hourMs - 1);
    await grace();
    expect(connector.requests).toHaveLength(2);
    await clock.advance(1);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error === undefined)).toBe(true);
    expect(connector.requests).toHaveLength(22);
    // What the transport was given and did not send does not count.
    expect(client.status.counters.sent).toBe(22 + connector.logins.length);
  });

  it('requests that undici would put on the wire again after a closed connection stay, too', async () => {
    const connector = await scriptedConnector();
    const dispatcher = new Pool(connector.url, { connections: 1, pipelining: 10 });
    onTestFinished(() => dispatcher.destroy());
    const { client, clock } = connectVirtually(connector, { dispatcher });
    await get(client);
    const closing = { 'retry-after': '3600', connection: 'close' };
    connector.handle = (exchange) => (exchange.number === 2 ? exchange.fail(403, 'L', 'l', closing) : ok(exchange));
    const calls = many(20, (index) => track(get(client, `/${index}`)));
    await until(() => client.status.paused);
    await grace();
    const onTheWire = connector.requests.length;
    await clock.advance(hourMs - 1);
    await grace();
    expect(connector.requests).toHaveLength(onTheWire);
    await clock.advance(1);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error === undefined)).toBe(true);
  });

  it('streams that were queued inside the transport are still whole after the pause (G8)', async () => {
    const connector = await scriptedConnector();
    const dispatcher = new Pool(connector.url, { connections: 1 });
    onTestFinished(() => dispatcher.destroy());
    const { client, clock } = connectVirtually(connector, { dispatcher });
    await get(client);
    connector.handle = (exchange) =>
      exchange.number === 2 ? exchange.limit(60) : exchange.reply(200, { got: String(exchange.body) });
    const calls = [track(get(client))];
    for (let index = 0; index < 6; index++) {
      const body = index % 2 ? Readable.from([`stream ${index}`]) : new Blob([`stream ${index}`]).stream();
      calls.push(track(client.request({ method: 'POST', path: '/items', body: body as Readable })));
    }
    await until(() => client.status.paused);
    await grace();
    await clock.advance(60_000);
    await until(() => calls.every(({ settled }) => settled));
    const bodies = calls.slice(1).map(({ value }) => (value as { data: { got: string } } | undefined)?.data.got);
    expect(bodies).toEqual(many(6, (index) => `stream ${index}`));
  });

  it('500 requests at once: after the first refusal only requests in flight arrive', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector, { concurrency: 50 });
    await get(client);
    const hold = holdAll();
    connector.handle = hold.handler;
    const calls = many(500, (index) => track(get(client, `/${index}`)));
    await until(() => hold.held.length === 50);
    hold.held.shift()?.limit(3600);
    await until(() => client.status.paused);
    hold.release(ok); // frees connections, on which nothing may follow
    await clock.advance(hourMs - 1);
    await grace(50);
    expect(connector.requests).toHaveLength(1 + 50);
    connector.handle = ok;
    await clock.advance(1);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error === undefined)).toBe(true);
    expect(connector.requests).toHaveLength(502);
  });

  it('a connector with separate limits: a scope pauses only itself', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) =>
      exchange.path.startsWith('/search') && exchange.number === 1 ? exchange.limit(3600) : ok(exchange);
    const { client, clock } = connectVirtually(connector, {
      rateLimit: { scope: ({ path }) => path.split('/')[1] ?? '' },
    });
    const search = track(get(client, '/search/a'));
    await until(() => client.status.paused);
    await expect(get(client, '/items/1')).resolves.toMatchObject({ status: 200 });
    const second = track(get(client, '/search/b'));
    await grace();
    expect(connector.requests.filter(({ path }) => path.startsWith('/search'))).toHaveLength(1);
    await clock.advance(hourMs);
    await until(() => search.settled && second.settled);
    expect(connector.requests.filter(({ path }) => path.startsWith('/search'))).toHaveLength(3);
  });

  it('a query written in the path belongs to no scope', async () => {
    const connector = await scriptedConnector({ initialize: ({ reply }) => reply(200, {}), guard: false });
    const paths: string[] = [];
    const scope = ({ path }: { path: string }) => {
      paths.push(path);
      return path;
    };
    const initialize = { parameters: {}, path: '/initialize?tenant=7' };
    await connect(connector, { initialize, rateLimit: { scope } }).get('/search?q=1', { query: { page: 2 } });
    expect(new Set(paths)).toEqual(new Set(['/search', '/initialize']));
  });

  it('two clients do not know of each other', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => (exchange.path === '/a' ? exchange.limit(3600) : ok(exchange));
    const { client } = connectVirtually(connector);
    track(get(client, '/a'));
    await until(() => client.status.paused);
    await expect(get(connect(connector), '/b')).resolves.toMatchObject({ status: 200 });
  });
});

describe('the gate only extends (G2)', () => {
  it.each([
    ['a shorter limit does not shorten it', '60', 3600],
    ['a wait of zero does not open it', '0', 3600],
    ['an equal one changes nothing', '3600', 3600],
    ['a longer one extends it, also for those who wait already', '7200', 7200],
  ])('%s', async (_name, second, seconds) => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector);
    const hold = holdAll();
    connector.handle = hold.handler;
    const calls = many(2, (index) => track(get(client, `/${index}`)));
    await until(() => hold.held.length === 2);
    hold.held.shift()?.limit(3600);
    await until(() => client.status.paused);
    calls.push(track(get(client, '/waiting')));
    hold.held.shift()?.limit(second);
    connector.handle = ok;
    await until(() => client.status.counters.refused === 2);
    await grace();
    await clock.advance(seconds * 1000 - 1);
    await grace();
    expect(connector.requests).toHaveLength(2);
    await clock.advance(1);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error === undefined)).toBe(true);
  });

  it('is measured on the monotonic clock: a calendar that jumps changes nothing', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(3600)) });
    const { client, clock } = connectVirtually(connector);
    const call = track(get(client));
    await until(() => client.status.paused);
    clock.jumpCalendar(48 * hourMs);
    await clock.advance(hourMs - 1);
    await grace();
    expect(connector.requests).toHaveLength(1);
    clock.jumpCalendar(-96 * hourMs);
    await clock.advance(1);
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
  });
});

describe('the release is staggered (G3)', () => {
  async function pausedWith(waiting: number) {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(60)) });
    const { client, clock } = connectVirtually(connector);
    const calls = [track(get(client, '/0'))];
    await until(() => client.status.paused);
    calls.push(...many(waiting - 1, (index) => track(get(client, `/${index + 1}`))));
    const hold = holdAll();
    connector.handle = hold.handler;
    return { connector, client, clock, calls, hold };
  }

  it('one request goes first; when it comes back the rest follow, doubling', async () => {
    const { clock, calls, hold } = await pausedWith(40);
    await clock.advance(60_000);
    let wave = 1;
    for (let done = 0; done < 40; done += wave, wave = Math.min(2 * wave, 40 - done)) {
      await until(() => hold.held.length >= wave);
      await grace(10);
      expect(hold.held).toHaveLength(wave);
      hold.release(ok);
    }
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error === undefined)).toBe(true);
  });

  it('a limit that still holds costs one request, not one per waiter', async () => {
    const { connector, client, clock, calls, hold } = await pausedWith(40);
    for (let round = 1; round <= 5; round++) {
      await clock.advance(60_000);
      await until(() => hold.held.length > 0);
      await grace(10);
      expect(hold.held).toHaveLength(1);
      hold.release((exchange) => exchange.limit(60));
      await until(() => client.status.paused);
      expect(connector.requests).toHaveLength(1 + round);
    }
    connector.handle = ok;
    await clock.advance(60_000);
    await until(() => calls.every(({ settled }) => settled));
    expect(connector.requests).toHaveLength(1 + 5 + 40);
  });

  it.each([
    ['fails', (exchange: Exchange) => exchange.fail(400, 'BAD', 'bad')],
    ['is denied', (exchange: Exchange) => exchange.reply(403)],
    ['breaks', (exchange: Exchange) => exchange.drop()],
    ['meets a 500', (exchange: Exchange) => exchange.reply(500)],
    ['is redirected', (exchange: Exchange) => exchange.reply(302, undefined, { location: '/x' })],
  ])('the one that goes first %s: the others follow nevertheless', async (_name, end) => {
    const { connector, clock, calls, hold } = await pausedWith(10);
    await clock.advance(60_000);
    await until(() => hold.held.length === 1);
    connector.handle = ok;
    hold.release(end);
    for (let step = 0; step < 20 && !calls.every(({ settled }) => settled); step++) {
      await grace(5);
      await clock.advance(100); // for retries of the one that failed
    }
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.filter(({ error }) => error !== undefined).length).toBeLessThanOrEqual(1);
  });

  it('the one that goes first is aborted: the others follow nevertheless', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(60)) });
    const { client, clock } = connectVirtually(connector);
    const controllers = many(10, () => new AbortController());
    const calls: ReturnType<typeof track>[] = [];
    for (const [index, { signal }] of controllers.entries()) {
      calls.push(track(client.request({ method: 'GET', path: `/${index}`, signal })));
      await until(() => client.status.paused);
    }
    const hold = holdAll();
    connector.handle = hold.handler;
    await clock.advance(60_000);
    await until(() => hold.held.length === 1);
    connector.handle = ok;
    const leader = Number(hold.held[0]?.path.slice(1));
    controllers[leader]?.abort(new Error('no longer needed'));
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.filter(({ error }) => error !== undefined)).toHaveLength(1);
  });

  it('the one that goes first finds the session dead: it logs in and the others follow', async () => {
    const { connector, clock, calls } = await pausedWith(10);
    connector.expireSessions();
    connector.handle = ok;
    await clock.advance(60_000);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error === undefined)).toBe(true);
    expect(connector.logins).toHaveLength(2);
  });

  it('jitter only ever lengthens a pause, and by no more than jitterMs', async () => {
    for (let round = 0; round < 5; round++) {
      const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(60)) });
      const { client, clock } = connectVirtually(connector, { rateLimit: { jitterMs: 2000 } });
      const call = track(get(client));
      await until(() => client.status.paused);
      await clock.advance(59_999);
      await grace(5);
      expect(connector.requests).toHaveLength(1);
      await clock.advance(2001);
      await until(() => call.settled);
      expect(call.value).toMatchObject({ status: 200 });
    }
  });
});

describe('waits can be aborted (G4)', () => {
  it("at once, with the signal's reason, leaving no listener, and harming nobody else", async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(3600)) });
    const { client, clock } = connectVirtually(connector);
    const controllers = many(3, () => new AbortController());
    const calls: ReturnType<typeof track>[] = [];
    for (const { signal } of controllers) {
      calls.push(track(client.request({ method: 'GET', path: '/items', signal })));
      await until(() => client.status.paused);
    }
    const reason = new Error('the user changed their mind');
    controllers[1]?.abort(reason);
    await until(() => calls[1]?.settled === true);
    expect(calls[1]?.error).toBe(reason);
    expect(controllers.map(({ signal }) => getEventListeners(signal, 'abort').length > 0)).toEqual([true, false, true]);
    await clock.advance(hourMs);
    await until(() => calls.every(({ settled }) => settled));
    expect([calls[0]?.value, calls[2]?.value]).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(controllers.some(({ signal }) => getEventListeners(signal, 'abort').length > 0)).toBe(false);
  });

  it('a pause for which nobody waits any more holds no timer that keeps the process alive', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(3600) });
    const { client, clock } = connectVirtually(connector);
    const controller = new AbortController();
    const call = track(client.request({ method: 'GET', path: '/', signal: controller.signal }));
    await until(() => client.status.paused);
    await grace();
    expect(clock.held).toBeGreaterThan(0); // control: somebody waits
    controller.abort();
    await until(() => call.settled);
    expect(clock.held).toBe(0);
    const next = track(get(client));
    await grace();
    expect(clock.held).toBeGreaterThan(0);
    expect(next.settled).toBe(false);
  });
});

describe('budgets (G5)', () => {
  it('waits do not consume error retries, nor the other way round', async () => {
    const connector = await scriptedConnector();
    const script = ['limit', 'limit', 'limit', 'fail', 'limit', 'limit', 'limit', 'ok'];
    connector.handle = (exchange) => {
      const step = script.shift();
      if (step === 'limit') exchange.limit(1);
      else if (step === 'fail') exchange.reply(500);
      else ok(exchange);
    };
    const { client, clock } = connectVirtually(connector, { retry: { retries: 1 } });
    const call = track(get(client));
    for (let second = 0; second < 60 && !call.settled; second++) {
      await grace(3);
      await clock.advance(500);
    }
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
    expect(connector.requests).toHaveLength(8);
  });

  it('maxTotalWaitMs bounds the sum for one call, and is checked before the sleep', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(60) });
    const { client, clock } = connectVirtually(connector, { rateLimit: { maxTotalWaitMs: 150_000 } });
    const call = track(get(client));
    for (let wait = 1; wait <= 2; wait++) {
      await until(() => client.status.paused && connector.requests.length === wait);
      expect(call.settled).toBe(false);
      await clock.advance(60_000);
    }
    await until(() => call.settled);
    expect(call.error).toBeInstanceOf(RateLimitError);
    expect((call.error as RateLimitError).resumeAt).toEqual(new Date(clock.now() + 60_000));
    expect((call.error as RateLimitError).message).toContain('longer than `maxTotalWaitMs` allows');
    expect(connector.requests).toHaveLength(3);
  });

  it('maxTotalWaitMs bounds the pauses of a call that waits for its turn, too', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ handle: hold.handler });
    const { client, clock } = connectVirtually(connector, { concurrency: 1, rateLimit: { maxTotalWaitMs: 150_000 } });
    const first = track(client.get('/items', { priority: 1 }));
    await until(() => hold.held.length === 1);
    const second = track(get(client)); // the gate is open: it waits for its turn, which never comes
    await grace();
    connector.handle = (exchange) => exchange.limit(60);
    hold.release((exchange) => exchange.limit(60));
    for (let wait = 1; wait <= 2; wait++) {
      await until(() => client.status.paused && connector.requests.length === wait);
      expect(second.settled).toBe(false);
      await clock.advance(60_000);
    }
    await until(() => first.settled && second.settled);
    expect(first.error).toBeInstanceOf(RateLimitError);
    expect(second.error).toBeInstanceOf(RateLimitError);
    expect(connector.requests).toHaveLength(3); // none of them the second call's
  });

  it('maxTotalWaitMs does not count the time in the queue', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({ handle: hold.handler });
    const patient = { concurrency: 1, timeoutMs: 3_600_000, rateLimit: { maxTotalWaitMs: 100_000 } };
    const { client, clock } = connectVirtually(connector, patient);
    track(get(client));
    await until(() => hold.held.length === 1);
    const second = track(get(client));
    await clock.advance(200_000);
    hold.held.shift()?.reply(200);
    await until(() => hold.held.length === 1);
    hold.held.shift()?.limit(60);
    await until(() => client.status.paused);
    await clock.advance(60_000);
    await until(() => hold.held.length === 1);
    hold.held.shift()?.reply(200);
    await until(() => second.settled);
    expect(second.value).toMatchObject({ status: 200 });
  });

  it('a first wait longer than maxTotalWaitMs is not slept', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit(60) });
    const { client } = connectVirtually(connector, { rateLimit: { maxTotalWaitMs: 59_999 } });
    expect(await rejection(get(client))).toBeInstanceOf(RateLimitError);
  });

  it('each call has a budget of its own', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector, { rateLimit: { maxTotalWaitMs: 100_000 } });
    for (let call = 0; call < 5; call++) {
      let refused = false;
      connector.handle = (exchange) => {
        if (refused) return ok(exchange);
        refused = true;
        exchange.limit(60);
      };
      const state = track(get(client));
      await until(() => client.status.paused);
      await clock.advance(60_000);
      await until(() => state.settled);
      expect(state.value).toMatchObject({ status: 200 });
    }
  });

  it('without maxTotalWaitMs a call outlasts any number of limits', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => (exchange.number <= 20 ? exchange.limit(3600) : ok(exchange)),
    });
    const { client, clock } = connectVirtually(connector);
    const call = track(get(client));
    for (let round = 1; round <= 20; round++) {
      await until(() => client.status.paused && connector.requests.length === round);
      await clock.advance(hourMs);
    }
    await until(() => call.settled);
    expect(call.value).toMatchObject({ status: 200 });
  });

  it('timeoutMs bounds an attempt, not the waits', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(600)) });
    const client = connect(connector, { timeoutMs: 400, rateLimit: { format: 'milliseconds' } });
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
  });
});

it('control: the wait header of these tests is what parseWait reads', () => {
  expect(parseWait('3600')).toEqual({ waitMs: hourMs });
});
