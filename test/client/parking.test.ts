import { fileURLToPath } from 'node:url';
import { isConnectorError, RateLimitError } from 'concordat';
import {
  type ClientEvents,
  type ClientSnapshot,
  type ConnectionState,
  type ConnectorClient,
  createConnectorClient,
  memoryState,
} from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connect, connectVirtually } from '../helpers/connect.js';
import { runScript } from '../helpers/run-script.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const ok = (exchange: Exchange) => exchange.reply(200, {});
const once = (refusal: (exchange: Exchange) => void) => (exchange: Exchange) =>
  exchange.number === 1 ? refusal(exchange) : ok(exchange);

describe("with onLimit: 'reject' (W7)", () => {
  it('a limit rejects the call at once, with what the connector said and when to come back', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(60)) });
    const { client, clock } = connectVirtually(connector, { rateLimit: { onLimit: 'reject' } });
    const error = await rejection(get(client));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({
      status: 403,
      code: 'RATE_LIMITED',
      origin: 'connector',
      retryAfterMs: 60_000,
      resumeAt: new Date(clock.now() + 60_000),
    });
    expect(error.message).toContain('Too many calls');
    expect(error.message).toContain('`onLimit`');
    expect(client.status).toMatchObject({ paused: true, resumeAt: error.resumeAt });
  });

  it('a parked call is a `parked` event and no `error`; any other failure is an error (G6)', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => (exchange.number === 1 ? exchange.limit(60) : exchange.reply(404, {})),
    });
    const { client, clock } = connectVirtually(connector, { rateLimit: { onLimit: 'reject' } });
    const parked: ClientEvents['parked'][] = [];
    const errors: ClientEvents['error'][] = [];
    client.on('parked', (event) => parked.push(event));
    client.on('error', (event) => errors.push(event));
    const refused = await rejection(get(client, '/a?secret=1'));
    const { resumeAt } = refused;
    const turnedAway = await rejection(get(client, '/b'));
    expect(parked).toEqual([
      { method: 'GET', path: '/a', resumeAt, error: refused },
      { method: 'GET', path: '/b', resumeAt, error: turnedAway },
    ]);
    expect(errors).toEqual([]);
    await clock.advance(60_000);
    await rejection(get(client, '/missing'));
    expect(parked).toHaveLength(2);
    expect(errors).toMatchObject([{ path: '/missing' }]);
  });

  it('a limit that the login meets parks every call that waited for it, with what the connector said (E9)', async () => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.limit(30) });
    const { client } = connectVirtually(connector, { rateLimit: { onLimit: 'reject' } });
    const parked: ClientEvents['parked'][] = [];
    const errors: ClientEvents['error'][] = [];
    client.on('parked', (event) => parked.push(event));
    client.on('error', (event) => errors.push(event));
    const paths = ['/a', '/b', '/c'];
    const limits = await Promise.all(paths.map((path) => rejection(get(client, path))));
    expect(new Set(limits).size).toBe(3);
    for (const limit of limits) {
      expect(limit).toBeInstanceOf(RateLimitError);
      expect(limit).toMatchObject({ code: 'RATE_LIMITED', origin: 'connector', attempts: 0, path: '/initialize' });
      expect(limit.message).toContain('Too many calls');
      expect(limit.message).toBe(limits[0].message);
      expect(limit.response.status).toBe(403);
    }
    expect(parked.map(({ path }) => path)).toEqual(['/initialize', ...paths]);
    expect(parked.slice(1).map(({ error }) => error)).toEqual(limits);
    expect(errors).toEqual([]);
  });

  it('an error of its own that a login function throws stays as it is', async () => {
    const connector = await scriptedConnector();
    const thrown = new RateLimitError('Busy', { retryAfterMs: 1000, detail: 'host db7', exposeDetail: false });
    const { client } = connectVirtually(connector, {
      initialize: async () => {
        throw thrown;
      },
    });
    expect(await rejection(get(client))).toBe(thrown);
  });

  it('of calls that waited for one login, each has the number of its own attempts (E9)', async () => {
    const connector = await scriptedConnector();
    const { client } = connectVirtually(connector, { rateLimit: { onLimit: 'reject' } });
    await get(client);
    connector.alive.clear();
    const hold = holdAll();
    connector.initialize = hold.handler;
    const sent = rejection(get(client));
    await until(() => hold.held.length === 1);
    const unsent = rejection(get(client));
    hold.release((exchange) => exchange.limit(30));
    expect([(await sent).attempts, (await unsent).attempts]).toEqual([1, 0]);
  });

  it('says the wait in whole milliseconds, and none too early', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(60)) });
    const { client, clock } = connectVirtually(connector, { rateLimit: { onLimit: 'reject' } });
    await rejection(get(client));
    await clock.advance(0.25);
    expect(await rejection(get(client))).toMatchObject({ retryAfterMs: 60_000 });
  });

  it('a limit that is over at once rejects the call that met it, too', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(0)) });
    const { client } = connectVirtually(connector, { rateLimit: { onLimit: 'reject' } });
    expect(await rejection(get(client))).toMatchObject({ kind: 'rate-limit', retryAfterMs: 0 });
    expect(connector.requests).toHaveLength(1);
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
  });

  it('calls made until then reject with the same resumeAt and send nothing; at resumeAt they go through', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(60)) });
    const { client, clock } = connectVirtually(connector, { rateLimit: { onLimit: 'reject' } });
    const { resumeAt } = await rejection(get(client));
    await clock.advance(59_999);
    for (const path of ['/a', '/b']) {
      const error = await rejection(get(client, path));
      expect(isConnectorError(error, 'rate-limit')).toBe(true);
      expect(error).toMatchObject({ resumeAt, path });
    }
    expect(connector.requests).toHaveLength(1);
    await clock.advance(resumeAt.getTime() - clock.now());
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
  });

  it('a call that comes at resumeAt goes through, though no timer has said so yet', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(60)) });
    const { client, clock } = connectVirtually(connector, { rateLimit: { onLimit: 'reject' } });
    const calls: ReturnType<typeof track>[] = [];
    const come = () => calls.push(track(get(client)));
    clock.setTimer(59_999, come);
    clock.setTimer(60_000, come); // set before the client's own timer for that moment, so it fires before that one
    const { resumeAt } = await rejection(get(client));
    expect(resumeAt).toEqual(new Date(clock.now() + 60_000)); // control
    await clock.advance(60_000);
    await until(() => calls.length === 2 && calls.every(({ settled }) => settled));
    expect(calls[0]?.error).toBeInstanceOf(RateLimitError); // control
    expect(calls[1]?.value).toMatchObject({ status: 200 });
  });

  it('calls that wait for their turn are rejected, too; those in flight are left to finish (G1)', async () => {
    const connector = await scriptedConnector();
    const { client } = connectVirtually(connector, { concurrency: 2, rateLimit: { onLimit: 'reject' } });
    await get(client);
    const hold = holdAll();
    connector.handle = hold.handler;
    const calls = ['/refused', '/inflight', '/waiting'].map((path) => track(get(client, path)));
    await until(() => hold.held.length === 2);
    hold.held.find(({ path }) => path === '/refused')?.limit(60);
    await until(() => calls.filter(({ settled }) => settled).length === 2);
    expect(calls[1]?.settled).toBe(false);
    hold.held.find(({ path }) => path === '/inflight')?.reply(200, {});
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.map(({ error }) => error instanceof RateLimitError)).toEqual([true, false, true]);
  });

  it('a limit on the login rejects who needs it (S5)', async () => {
    const connector = await scriptedConnector();
    connector.initialize = (exchange) => (exchange.number === 1 ? exchange.limit(60) : connector.logIn(exchange));
    const { client, clock } = connectVirtually(connector, { rateLimit: { onLimit: 'reject' } });
    const events: string[] = [];
    client.on('parked', ({ path }) => events.push(path));
    client.on('error', ({ path }) => events.push(`error ${path}`));
    const error = await rejection(get(client));
    expect(error).toMatchObject({ kind: 'rate-limit', resumeAt: new Date(clock.now() + 60_000) });
    expect(events).toEqual(['/initialize', '/items']);
    await clock.advance(60_000);
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
  });

  it('holds no timer that keeps the process alive (G4)', async () => {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(60)) });
    const { client, clock } = connectVirtually(connector, { rateLimit: { onLimit: 'reject' } });
    await rejection(get(client));
    expect(clock.held).toBe(0);
  });

  it("control: by default, or with 'wait', the call waits", async () => {
    for (const onLimit of [undefined, 'wait'] as const) {
      const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(60)) });
      const { client, clock } = connectVirtually(connector, { rateLimit: onLimit === undefined ? {} : { onLimit } });
      const call = track(get(client));
      await until(() => client.status.paused);
      await grace(5);
      expect(call.settled).toBe(false);
      await clock.advance(60_000);
      await until(() => call.settled);
      expect(call.error).toBeUndefined();
    }
  });

  it('anything else is a TypeError that names the option', () => {
    const create = () =>
      createConnectorClient({
        baseUrl: 'http://connector.test',
        initialize: { parameters: {} },
        rateLimit: { onLimit: 'sleep' as never },
      });
    expect(create).toThrow(TypeError);
    expect(create).toThrow("`rateLimit.onLimit` must be 'wait' or 'reject'");
  });
});

describe('a snapshot', () => {
  async function paused(seconds = 3600) {
    const connector = await scriptedConnector({ handle: once((exchange) => exchange.limit(seconds)) });
    const { client, clock } = connectVirtually(connector, { rateLimit: { onLimit: 'reject' } });
    await rejection(get(client));
    return { connector, client, clock, snapshot: client.snapshot() };
  }

  it('is JSON with the pause as a date, and nothing of the session or the password (S7)', async () => {
    const { connector, client, clock, snapshot } = await paused();
    expect(snapshot).toEqual({
      version: 1,
      pauses: [{ scope: '', resumeAt: new Date(clock.now() + 3_600_000).toISOString() }],
      quotas: [],
    });
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot);
    expect(JSON.stringify(snapshot)).not.toContain('canary');
    expect(JSON.stringify(snapshot)).not.toContain('session');
    expect(connector.alive.size).toBe(1); // control: there is a session
    await clock.advance(3_600_000);
    expect(client.snapshot()).toEqual({ version: 1, pauses: [], quotas: [] });
  });

  it.each(['option', 'restore'])('closes the gate of the next client until then: given by %s', async (how) => {
    const { connector, clock, snapshot } = await paused();
    await clock.advance(1_800_000);
    const next = connect(connector, { clock, ...(how === 'option' ? { snapshot } : {}) });
    if (how === 'restore') next.restore(snapshot);
    expect(next.status).toMatchObject({ paused: true, resumeAt: new Date(snapshot.pauses[0]?.resumeAt ?? '') });
    const call = track(get(next));
    await clock.advance(1_799_999);
    await grace(5);
    expect([...connector.requests, ...connector.logins]).toHaveLength(2); // those of the first client
    await clock.advance(1);
    await until(() => call.settled);
    expect(call.error).toBeUndefined();
  });

  it.each(['a snapshot', 'a state'])('tells of the pause that the next client has from %s (G6)', async (from) => {
    const { connector, clock, snapshot } = await paused();
    const state = memoryState();
    if (from === 'a state') connect(connector, { clock, state, snapshot });
    const next = connect(connector, { clock, state, ...(from === 'a snapshot' ? { snapshot } : {}) });
    const told: string[] = [];
    const pauses: ClientEvents['pause'][] = [];
    next.on('pause', (event) => pauses.push(event));
    for (const name of ['pause', 'heartbeat', 'resume'] as const) next.on(name, () => told.push(name));
    expect(next.status).toMatchObject({ paused: true, counters: { pauses: 1 } });
    await clock.advance(3_600_000);
    expect(pauses).toMatchObject([{ waitMs: 3_600_000, resumeAt: new Date(snapshot.pauses[0]?.resumeAt ?? '') }]);
    expect([told.at(0), told.at(1), told.at(-1)]).toEqual(['pause', 'heartbeat', 'resume']);
  });

  it('a pause that is over is ignored', async () => {
    const { connector, clock, snapshot } = await paused();
    await clock.advance(3_600_000);
    const next = connect(connector, { clock, snapshot });
    expect(next.status.paused).toBe(false);
    await expect(get(next)).resolves.toMatchObject({ status: 200 });
  });

  it.each([0, 1, 3_600_000])('a pause that is over for %d ms is no news for others with the same state', async (ms) => {
    const { connector, clock, snapshot } = await paused();
    await clock.advance(3_600_000 + ms);
    const told: Date[] = [];
    const shared = memoryState();
    const state: ConnectionState = { ...shared, pause: ({ resumeAt }) => void told.push(resumeAt) };
    const next = connect(connector, { clock, state, snapshot });
    next.restore(snapshot);
    expect(told).toEqual([]);
    expect(next.status).toMatchObject({ paused: false, resumeAt: undefined, counters: { pauses: 0 } });
    const resumeAt = new Date(clock.now() + 1);
    next.restore({ version: 1, pauses: [{ scope: '', resumeAt: resumeAt.toISOString() }], quotas: [] });
    expect(told).toContainEqual(resumeAt); // control
    expect(next.status.paused).toBe(true);
  });

  it('has its pause spread like any other, and what was told to others comes back without a change (W7)', async () => {
    const { connector, clock, snapshot } = await paused(100);
    clock.random = () => 0.5;
    const next = connect(connector, { clock, snapshot, rateLimit: { jitterMs: 1000 } });
    const resumeAt = new Date(clock.now() + 100_500);
    expect(next.status.resumeAt).toEqual(resumeAt);
    expect(next.snapshot()).toEqual(snapshot); // as it was asked for: it does not grow from process to process
    clock.random = () => 0.9;
    next.restore(next.snapshot());
    expect(next.status.resumeAt).toEqual(resumeAt);
  });

  it('never shortens a wait that is on, and lengthens it where it says more (G2)', async () => {
    const { client, clock } = await paused(3600);
    const inMs = (milliseconds: number): ClientSnapshot => ({
      version: 1,
      pauses: [{ scope: '', resumeAt: new Date(clock.now() + milliseconds).toISOString() }],
      quotas: [],
    });
    const before = client.status.resumeAt;
    client.restore(inMs(1000));
    expect(client.status.resumeAt).toEqual(before);
    client.restore(inMs(7_200_000));
    expect(client.status.resumeAt).toEqual(new Date(clock.now() + 7_200_000));
  });

  it('a wait longer than maxWaitMs is refused as any other (W7)', async () => {
    const { connector, clock, snapshot } = await paused();
    const next = connect(connector, { clock, snapshot, rateLimit: { maxWaitMs: 60_000 } });
    const error = await rejection(get(next));
    expect(error).toMatchObject({ kind: 'rate-limit', retryAfterMs: 3_600_000 });
    expect(error.message).toContain(`until ${error.resumeAt.toISOString()}: longer than \`maxWaitMs\` allows`);
  });

  it('is told to clients that share the state', async () => {
    const { connector, clock, snapshot } = await paused();
    const state = memoryState();
    const other = connect(connector, { clock, state });
    expect(other.status.paused).toBe(false); // control
    connect(connector, { clock, state, snapshot });
    expect(other.status.paused).toBe(true);
  });

  it('does not replace what this client has learned of the quota', async () => {
    const { clock } = await paused();
    let requests = 0;
    const connector = await scriptedConnector({
      handle: (exchange) => (++requests % 4 === 0 ? exchange.limit(60) : exchange.reply(200, {})),
    });
    const client = connect(connector, { clock });
    for (let call = 0; call < 3; call++) await client.get('/items');
    const limited = track(client.get('/items'));
    await until(() => client.status.paused);
    await clock.advance(61_000);
    await until(() => limited.settled);
    const learned = client.status.quota;
    expect(learned).toBeDefined();
    client.restore({ version: 1, pauses: [], quotas: [{ scope: '', limit: 77, windowMs: 1000 }] });
    expect(client.status.quota).toEqual(learned);
  });

  it('carries what was learned of the quota', async () => {
    const { connector, clock } = await paused();
    const quotas = [{ scope: '', limit: 100, windowMs: 60_000 }];
    const next = connect(connector, { clock, snapshot: { version: 1, pauses: [], quotas } });
    expect(next.status.quota).toEqual({ limit: 100, windowMs: 60_000 });
    expect(next.snapshot().quotas).toEqual(quotas);
    expect(connect(connector, { clock, pacing: 'off', snapshot: next.snapshot() }).status.quota).toBeUndefined();
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['text', '{}'],
    ['another version', { version: 2, pauses: [], quotas: [] }],
    ['no lists', { version: 1 }],
    ['a pause without a time', { version: 1, pauses: [{ scope: '' }], quotas: [] }],
    ['a pause at no time', { version: 1, pauses: [{ scope: '', resumeAt: '2026-13-01T00:00:00Z' }], quotas: [] }],
    ['a pause in words', { version: 1, pauses: [{ scope: '', resumeAt: 'tomorrow' }], quotas: [] }],
    ['a pause without a scope', { version: 1, pauses: [{ resumeAt: '2026-12-01T00:00:00Z' }], quotas: [] }],
    ['a quota of nothing', { version: 1, pauses: [], quotas: [{ scope: '', limit: 0, windowMs: 1 }] }],
    ['a quota that is no number', { version: 1, pauses: [], quotas: [{ scope: '', limit: '9', windowMs: 1 }] }],
    ['a quota beyond counting', { version: 1, pauses: [], quotas: [{ scope: '', limit: 2 ** 60, windowMs: 1 }] }],
    ['null in a list', { version: 1, pauses: [null], quotas: [] }],
  ])('%s is a TypeError, and changes nothing', async (_name, snapshot) => {
    const client = connect(await scriptedConnector());
    expect(() => client.restore(snapshot as ClientSnapshot)).toThrow(TypeError);
    expect(() => client.restore(snapshot as ClientSnapshot)).toThrow('`snapshot');
    expect(client.status).toMatchObject({ paused: false, quota: undefined });
  });

  it('carries a pause across a real restart of the process', async () => {
    const connector = await scriptedConnector();
    connector.handle = (exchange) => (exchange.number === 3 ? exchange.limit(2) : ok(exchange));
    const source = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url));
    const run = async (body: string, ...parameters: string[]): Promise<string> => {
      const script = `
        import { createConnectorClient } from ${JSON.stringify(source)};
        const options = {
          baseUrl: process.argv[2],
          initialize: { parameters: {} },
          rateLimit: { onLimit: 'reject', jitterMs: 0 },
        };
        ${body}`;
      return runScript(script, connector.url, ...parameters);
    };
    // The wait is long enough for a process to start in, and is read from the snapshot itself, not from the time it took.
    connector.handle = (exchange) => (exchange.number === 3 ? exchange.limit(600) : ok(exchange));
    const written = await run(`
      const client = createConnectorClient(options);
      await client.get('/1');
      await client.get('/2');
      await client.get('/3').catch(() => {});
      process.stdout.write(JSON.stringify(client.snapshot()));`);
    const snapshot = JSON.parse(written) as ClientSnapshot;
    expect(snapshot.pauses).toHaveLength(1);
    expect(snapshot.quotas).toMatchObject([{ scope: '', limit: 2 }]);
    const seen = connector.requests.length + connector.logins.length;
    const answer = await run(
      `const client = createConnectorClient({ ...options, snapshot: JSON.parse(process.argv[3]) });
      const error = await client.get('/4').catch((error) => error);
      process.stdout.write(JSON.stringify([error.kind, error.resumeAt, client.status.quota.limit]));`,
      written,
    );
    const [kind, resumeAt, limit] = JSON.parse(answer);
    expect([kind, limit]).toEqual(['rate-limit', 2]);
    // Between its readings of calendar and monotonic clock a process may have lost the processor, so it may be a little later.
    const laterMs = Date.parse(resumeAt) - Date.parse(snapshot.pauses[0]?.resumeAt as string);
    expect(laterMs).toBeGreaterThanOrEqual(-1);
    expect(laterMs).toBeLessThan(60_000);
    expect(connector.requests.length + connector.logins.length).toBe(seen); // nothing was sent
    // Control: without the snapshot the next process runs into the limit.
    await run(`await createConnectorClient(options).get('/4').catch(() => {});`);
    expect(connector.requests.length + connector.logins.length).toBeGreaterThan(seen);
  });
});
