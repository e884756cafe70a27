// A call that ends while it waits says what for, so that a job queue knows when to try again.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { RateLimitError } from 'concordat';
import { delayWhenLimited } from 'concordat/bullmq';
import { type ConnectorClientOptions, memoryState, type RequestError } from 'concordat/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, connectVirtually } from '../helpers/connect.js';
import {
  type Exchange,
  holdAll,
  type ScriptedConnectorOptions,
  scriptedConnector,
} from '../helpers/scripted-connector.js';
import { rejection, until } from '../helpers/until.js';
import type { VirtualClock } from '../helpers/virtual-clock.js';

const limited = (exchange: Exchange) => exchange.limit(60);
const tooMany = (exchange: Exchange) => exchange.fail(429, 'SLOW_DOWN', 'Too many', { 'retry-after': '60' });
const broken = (exchange: Exchange) => exchange.fail(500, 'BOOM', 'It broke.');
const budget = { totalTimeoutMs: 1000 };

async function setUp(script: ScriptedConnectorOptions, options: Partial<ConnectorClientOptions> = {}) {
  const connector = await scriptedConnector(script);
  const retry = { retries: 9, minTimeoutMs: 300, maxTimeoutMs: 300 };
  const { client, clock } = connectVirtually(connector, { retry, ...options });
  const paused = new Promise((resolve) => client.on('pause', resolve));
  const retried = new Promise((resolve) => client.on('retry', resolve));
  return { connector, client, clock, paused, retried };
}

/** The error of a call whose second is over. */
async function overBudget(clock: VirtualClock, call: Promise<unknown>): Promise<RequestError> {
  const failure = rejection(call);
  await clock.advance(1000);
  const error = await failure;
  expect(error.code).toBe('BUDGET_EXCEEDED');
  return error;
}

/** Observed calls end a little later. */
function trace(name: string): void {
  const listener = () => {};
  subscribe(name, listener);
  onTestFinished(() => {
    unsubscribe(name, listener);
  });
}

/** What the message says besides the time. */
const noteOf = ({ message }: Error) => /^GET \/items: BUDGET_EXCEEDED: .* of \d+ ms(.*)$/.exec(message)?.[1];

/** Fails unless the error has a rate limit as its cause that is over so much later, and puts off a job of BullMQ. */
async function expectLimit(error: RequestError, resumeAt: number, status = 403): Promise<void> {
  expect(error.cause).toBeInstanceOf(RateLimitError);
  expect(error.cause).toMatchObject({ resumeAt: new Date(resumeAt), status, method: 'GET', path: '/items' });
  expect(Object.keys(error)).not.toContain('cause');
  const job = { moveToDelayed: async () => {} } as never;
  const processor = delayWhenLimited(() => Promise.reject(error));
  expect(await rejection(processor(job, 'token'))).toMatchObject({ name: 'DelayedError' });
}

describe('`totalTimeoutMs` over during a rate limit or behind a quota: that is the cause (G5)', () => {
  const scoped = { rateLimit: { scope: ({ path }: { path: string }) => path } };
  const initialize: ConnectorClientOptions['initialize'] = async ({ request }) => {
    await request({ method: 'POST', path: '/initialize' });
    return {};
  };

  it.each([
    ['the login met', {}],
    ['the login met in another scope', scoped],
    ['a login function met in another scope', { ...scoped, initialize }],
  ])('a rate limit that %s', async (_name, options) => {
    const { client, clock, paused } = await setUp({ initialize: limited }, options);
    const call = client.get('/items', budget);
    call.catch(() => {});
    await paused;
    const end = clock.now() + 60_000;
    const error = await overBudget(clock, call);
    expect(noteOf(error)).toBe(` (paused by a rate limit until ${new Date(end).toISOString()})`);
    expect(error.attempts).toBe(0);
    await expectLimit(error, end);
  });

  it('a rate limit that another call met, with the status of that response', async () => {
    const { client, clock, paused } = await setUp({ handle: tooMany });
    client.get('/other').catch(() => {});
    await paused;
    const end = clock.now() + 60_000;
    await expectLimit(await overBudget(clock, client.get('/items', budget)), end, 429);
  });

  it('an announced quota', async () => {
    const usedUp = { 'ratelimit-policy': '"default";q=1;w=60', ratelimit: '"default";r=0;t=60' };
    const { client, clock } = await setUp({ handle: ({ reply }) => reply(200, {}, usedUp) });
    await client.get('/other');
    const end = clock.now() + 60_000;
    const error = await overBudget(clock, client.get('/items', budget));
    expect(noteOf(error)).toBe(` (waiting for its turn in the quota until ${new Date(end).toISOString()})`);
    expect(String(error.cause)).toContain('The quota of the connection is used up.');
    await expectLimit(error, end);
  });

  it('an announced quota, for as long as such advice is followed (G9)', async () => {
    const usedUp = { 'ratelimit-policy': '"default";q=1;w=3600', ratelimit: '"default";r=0;t=3600' };
    const { client, clock } = await setUp({ handle: ({ reply }) => reply(200, {}, usedUp) });
    await client.get('/other');
    const end = clock.now() + 60_000;
    await expectLimit(await overBudget(clock, client.get('/items', budget)), end);
    await clock.advance(end - clock.now());
    const again = client.get('/items'); // control: it goes then
    await clock.advance(1);
    await again;
  });

  it('a learned quota', async () => {
    const { connector, client, clock, paused } = await setUp({
      handle: ({ number, reply, limit }) => (number === 3 ? limit(60) : reply(200, {})),
    });
    for (const path of ['/1', '/2']) await client.get(path);
    const refused = client.get('/3');
    await paused;
    await clock.advance(60_000);
    await refused;
    await client.get('/4');
    const end = clock.now() + 60_000;
    const hold = holdAll();
    connector.handle = hold.handler;
    client.get('/probe').catch(() => {});
    await until(() => hold.held.length === 1);
    const error = await overBudget(clock, client.get('/items', budget));
    expect(noteOf(error)).toMatch(/^ \(waiting for its turn in the quota until /);
    await expectLimit(error, end);
  });
});

describe('`totalTimeoutMs` over during another wait: the message names it (G5)', () => {
  it('a free place', async () => {
    const hold = holdAll();
    const { client, clock } = await setUp({ handle: hold.handler }, { concurrency: 1 });
    client.get('/first').catch(() => {});
    await until(() => hold.held.length === 1);
    const error = await overBudget(clock, client.get('/items', budget));
    expect([noteOf(error), error.cause]).toEqual([' (waiting for a free place)', undefined]);
  });

  it('a login, which needs no place in a quota', async () => {
    const state = { ...memoryState(), take: () => new Promise<never>(() => {}) };
    const { connector, client, clock } = await setUp({ initialize: () => {} }, { state });
    const call = client.get('/items', budget);
    call.catch(() => {});
    await until(() => connector.logins.length === 1);
    const error = await overBudget(clock, call);
    expect([noteOf(error), error.cause]).toEqual([' (waiting for a login)', undefined]);
  });

  it('a retry, with the failure before it', async () => {
    const { client, clock, retried } = await setUp(
      { handle: broken },
      { retry: { minTimeoutMs: 2000, maxTimeoutMs: 2000 } },
    );
    const call = client.get('/items', budget);
    call.catch(() => {});
    await retried;
    const error = await overBudget(clock, call);
    expect(error).toMatchObject({ attempts: 1, cause: { code: 'BOOM' } });
    expect(noteOf(error)).toBe(' (waiting for a retry)');
  });

  it.each([
    ['/ok', /^ \(waiting for its session\)$/, undefined],
    ['/limit', /^ \(paused by a rate limit until /, { kind: 'rate-limit' }],
  ])('a session that has to be tried again, while another call gets %s', async (path, note, cause) => {
    const handle = (exchange: Exchange) => {
      if (exchange.path === '/limit') limited(exchange);
      else exchange.reply(exchange.path === '/ok' ? 200 : 401);
    };
    const { connector, client, clock, paused } = await setUp({ handle, guard: false }, { concurrency: 1 });
    const failure = rejection(client.get('/items', { totalTimeoutMs: 500 }));
    await until(() => connector.requests.length === 2);
    const other = client.get(path); // its turn comes once the second 401 has been read
    await Promise.race([other, paused]);
    other.catch(() => {});
    await clock.advance(500);
    const error = await failure;
    expect(noteOf(error)).toMatch(note);
    expect(error).toMatchObject({ attempts: 2 });
    if (cause === undefined) expect(error.cause).toBeUndefined();
    else expect(error.cause).toMatchObject(cause);
  });

  it('a body', async () => {
    const { client, clock } = await setUp({});
    await client.get('/warm');
    const call = client.request({ method: 'GET', path: '/items', body: () => new Promise(() => {}), ...budget });
    const error = await overBudget(clock, call);
    expect([noteOf(error), error.cause]).toEqual([' (waiting for its body)', undefined]);
  });

  it('none, while the request is on its way: not even a pause', async () => {
    const { connector, client, clock, paused } = await setUp({
      handle: (exchange) => exchange.path === '/limit' && limited(exchange),
    });
    const call = client.get('/items', budget);
    call.catch(() => {});
    await until(() => connector.requests.length === 1);
    client.get('/limit').catch(() => {});
    await paused;
    const error = await overBudget(clock, call);
    expect([noteOf(error), error.cause]).toEqual(['', undefined]);
  });
});

describe('a client that is closed tells a call that waits why it had to (G5)', () => {
  it('a rate limit, which puts off a job', async () => {
    const { client, clock, paused } = await setUp({ handle: tooMany });
    const failure = rejection(client.get('/items'));
    await paused;
    await client.close();
    const error = await failure;
    expect(error).toMatchObject({ code: 'CLIENT_CLOSED', attempts: 1 });
    await expectLimit(error, clock.now() + 60_000, 429);
  });

  it('a rate limit of the login', async () => {
    const { client, clock, paused } = await setUp({ initialize: limited });
    const failure = rejection(client.get('/items'));
    await paused;
    await client.close();
    await expectLimit(await failure, clock.now() + 60_000);
  });

  it('the failure before a retry', async () => {
    const { client, retried } = await setUp({ handle: broken });
    const failure = rejection(client.get('/items'));
    await retried;
    await client.close();
    expect(await failure).toMatchObject({ code: 'CLIENT_CLOSED', cause: { status: 500, code: 'BOOM' } });
  });

  it.each([false, true])('the failure before a retry of the login; with a tracer: %s', async (isTraced) => {
    if (isTraced) trace('concordat:client:wait');
    const { client, retried } = await setUp({ initialize: (exchange) => exchange.drop() });
    const failures = ['/items', '/others'].map((path) => rejection(client.get(path)));
    await retried;
    await client.close();
    const cause = { code: 'NETWORK_ERROR', path: '/initialize' };
    for (const error of await Promise.all(failures)) expect(error).toMatchObject({ code: 'CLIENT_CLOSED', cause });
  });

  it('nothing, if the request was on its way', async () => {
    const { connector, client, clock } = await setUp({ handle: () => {} });
    const failure = rejection(client.get('/items'));
    await until(() => connector.requests.length === 1);
    const closed = client.close({ graceMs: 10 });
    await clock.advance(10);
    await closed;
    const error = await failure;
    expect([error.code, error.cause]).toEqual(['CLIENT_CLOSED', undefined]);
  });
});

describe('the rate limit of a call that has not met it itself has the status of the response (W7)', () => {
  it('met by another call', async () => {
    const { client, paused } = await setUp({ handle: tooMany }, { rateLimit: { maxWaitMs: 59_000 } });
    client.get('/other').catch(() => {});
    await paused;
    expect(await rejection(client.get('/items'))).toMatchObject({ kind: 'rate-limit', status: 429, attempts: 0 });
  });

  it('met by another client of the process', async () => {
    const state = memoryState();
    const { connector, client, clock, paused } = await setUp({ handle: tooMany }, { state });
    client.get('/other').catch(() => {});
    await paused;
    const second = connect(connector, { state, clock, rateLimit: { onLimit: 'reject' } });
    expect(await rejection(second.get('/items'))).toMatchObject({ kind: 'rate-limit', status: 429 });
  });

  it('of the response that asks for the latest end', async () => {
    const hold = holdAll();
    const { client, clock, paused } = await setUp({ handle: hold.handler });
    for (const path of ['/1', '/2']) client.get(path).catch(() => {});
    await until(() => hold.held.length === 2);
    hold.held[0]?.fail(429, 'SLOW_DOWN', 'Too many', { 'retry-after': '30' });
    await paused;
    const grew = new Promise((resolve) => client.on('heartbeat', resolve));
    hold.held[1]?.fail(503, 'BUSY', 'Busy', { 'retry-after': '60' });
    await grew;
    await expectLimit(await overBudget(clock, client.get('/items', budget)), clock.now() + 59_000, 503);
  });

  it('but not of an earlier pause', async () => {
    const { connector, client, clock, paused } = await setUp({ handle: tooMany });
    const first = client.get('/first');
    await paused;
    connector.handle = ({ reply }) => reply(200, {});
    await clock.advance(60_000);
    await first;
    client.restore({
      ...client.snapshot(),
      pauses: [{ scope: '', resumeAt: new Date(clock.now() + 5000).toISOString() }],
    });
    const error = await overBudget(clock, client.get('/items', budget));
    expect(error.cause).toMatchObject({ kind: 'rate-limit', status: 403 });
  });
});
