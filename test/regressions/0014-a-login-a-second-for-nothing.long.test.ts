// A connector that accepted each login and refused each request was logged in to once a second, for as long as calls came: only refused
// logins had a cool-down. Identity providers lock accounts for that, or bill it. An outside check of what a hostile or broken connector
// can do found it.
import { type ConnectorClient, createConnectorClient, memoryState } from 'concordat/client';
import { type JournalEntry, simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { rejection } from '../helpers/until.js';

const initialize = { parameters: { user: 'ada' } };
const latencyMs = 100;

/** A connector that refuses what `refuses` says, whatever the session. */
function connectTo(refuses: (entry: JournalEntry) => boolean, options: { loginCooldownMs?: number } = {}, size = 1) {
  const clock = virtualClock();
  const faults = (entry: JournalEntry) => (refuses(entry) ? ({ kind: 'expired' } as const) : undefined);
  const connector = simulateConnector({ clock, faults });
  const state = memoryState();
  const clients = Array.from({ length: size }, () =>
    createConnectorClient({
      baseUrl: 'http://connector.test',
      initialize,
      clock,
      state,
      fetch: async (input, init) => {
        const response = await connector.fetch(input as string, init);
        await new Promise<void>((resolve) => void clock.setTimer(latencyMs, resolve));
        return response;
      },
      ...options,
    }),
  );
  const count = (kind: string) => connector.journal.filter((entry) => entry.kind === kind).length;
  /** Makes one call after the other with each client, for so long. @returns what they ended with. */
  const callFor = async (milliseconds: number, path = '/issues', workers = 1) => {
    const end = clock.monotonic() + milliseconds;
    const endings = new Set<unknown>();
    const work = async (client: ConnectorClient) => {
      while (clock.monotonic() < end) {
        endings.add(
          await client.get(path).then(
            () => 'ok',
            (error: Error) => error.name,
          ),
        );
      }
    };
    await clock.runUntil(Promise.all(clients.flatMap((client) => Array.from({ length: workers }, () => work(client)))));
    return [...endings];
  };
  return { clock, client: clients[0] as ConnectorClient, count, callFor };
}

const isRequest = ({ kind }: JournalEntry) => kind === 'request';

describe('a connector that accepts each login and refuses each request (S5)', () => {
  it.each([
    [1, 1, 600],
    [1, 20, 60],
    [5, 1, 60],
  ])('%i clients, %i calls at a time for %i s: logins become rare, and calls go on being refused', async (...facts) => {
    const [size, workers, seconds] = facts;
    const { count, callFor } = connectTo(isRequest, {}, size);
    expect(await callFor(seconds * 1000, '/issues', workers)).toEqual(['UnauthorizedError']);
    expect(count('login')).toBeGreaterThan(3);
    expect(count('login')).toBeLessThan(10 + seconds / 20);
    expect(count('request')).toBeGreaterThan((seconds * 1000) / latencyMs / 2);
  });

  it('with `loginCooldownMs: 0` there is one after the other (control)', async () => {
    const { count, callFor } = connectTo(isRequest, { loginCooldownMs: 0 });
    await callFor(600_000);
    expect(count('login')).toBeGreaterThan(300);
  });

  it('a call that gets through in the cool-down ends it, without a login', async () => {
    let isBroken = true;
    const clock = virtualClock();
    let logins = 0;
    const client = createConnectorClient({
      baseUrl: 'http://connector.test',
      initialize: async () => ({ 'x-session': String(++logins) }),
      clock,
      fetch: async () => new Response(isBroken ? '' : '{}', { status: isBroken ? 401 : 200 }),
    });
    const call = () => clock.runUntil(client.get('/issues').catch((error: Error) => error.name));
    expect(await call()).toBe('UnauthorizedError');
    const before = logins;
    expect(await call()).toBe('UnauthorizedError'); // in the cool-down
    expect(logins).toBe(before);
    isBroken = false;
    await call();
    expect(logins).toBe(before);
    isBroken = true;
    expect(await call()).toBe('UnauthorizedError');
    expect(logins).toBeGreaterThan(before); // the session had worked: its end is an expiry
  });

  it('a success ends it: then each session that ends is replaced at once, and the next cool-down is short again', async () => {
    let isBroken = true;
    const { client, clock, count, callFor } = connectTo((entry) => isBroken && isRequest(entry));
    await callFor(600_000);
    isBroken = false;
    await clock.advance(30_000);
    await clock.runUntil(client.get('/issues'));
    isBroken = true;
    await clock.runUntil(rejection(client.get('/issues')));
    await clock.advance(2000);
    const logins = count('login');
    await clock.runUntil(rejection(client.get('/issues')));
    expect(count('login')).toBe(logins + 1);
  });
});

describe('sessions that are only refused now and then', () => {
  it('that end after each success are replaced at once, however many (control)', async () => {
    const { clock, client, count } = connectTo(({ path, number }) => path === '/issues' && number % 3 === 0);
    for (let call = 0; call < 60; call++) await clock.runUntil(client.get('/issues'));
    expect(count('login')).toBeGreaterThan(20);
  });

  it('one path that is always refused does not keep the others from their logins', async () => {
    const { clock, client } = connectTo(({ path }) => path === '/refused');
    for (let call = 0; call < 20; call++) {
      await clock.runUntil(rejection(client.get('/refused')));
      await clock.advance(31_000);
      await clock.runUntil(client.get('/issues'));
    }
  });
});
