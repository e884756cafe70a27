import { isConnectorError } from 'concordat';
import { createConnectorClient } from 'concordat/client';
import { simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';

describe('a 403 response full of quota headers (W2)', () => {
  const quota = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1893456000' };

  it('is a denial without the wait header: nobody waits for the end of the window', async () => {
    const connector = await scriptedConnector({ handle: ({ fail }) => fail(403, 'FORBIDDEN', 'Not for you', quota) });
    const client = connect(connector);
    expect(await rejection(client.get('/items'))).toMatchObject({ kind: 'forbidden', status: 403 });
    expect(connector.requests).toHaveLength(1);
    expect(client.status).toMatchObject({ paused: false, counters: { pauses: 0 } });
  });

  it('control: with the wait header it is a limit', async () => {
    const connector = await scriptedConnector({
      handle: ({ number, fail, reply }) =>
        number === 1 ? fail(403, 'FORBIDDEN', 'Not for you', { ...quota, 'retry-after': '0' }) : reply(200, {}),
    });
    const client = connect(connector);
    expect(await client.get('/items')).toEqual({});
    expect(client.status.counters.pauses).toBe(1);
  });
});

describe('a list that is read through limits, expiries and failures (W2, S4, G7)', () => {
  it('is whole: no page is missing, and none comes twice', async () => {
    const clock = virtualClock();
    const issues = Array.from({ length: 50 }, (_, index) => ({ id: index + 1 }));
    const connector = simulateConnector({
      clock,
      resources: { issues },
      rateLimit: { limit: 3, windowMs: 60_000 },
      session: { maxRequests: 4 },
      faults: [
        { kind: 'status', status: 503, every: 5 },
        { kind: 'reset', every: 7 },
      ],
    });
    const client = createConnectorClient({
      baseUrl: 'http://connector.test',
      initialize: { parameters: { user: 'ada' } },
      fetch: connector.fetch,
      clock,
    });
    const readAll = async () => {
      const ids: number[] = [];
      let cursor: string | null = null;
      do {
        const page: { items: { id: number }[]; nextCursor: string | null } = await client.get('/issues', {
          query: { limit: 4, cursor },
        });
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      return ids;
    };
    expect(await clock.runUntil(readAll())).toEqual(issues.map(({ id }) => id));
    // It went through all three.
    const { pauses, logins, retries } = client.status.counters;
    expect([pauses, logins, retries].map((count) => count > 1)).toEqual([true, true, true]);
  });
});

describe('a status that the connector itself may not have given (E6, E7)', () => {
  it('a 404 page of a proxy is told from the 404 of the connector', async () => {
    const connector = await scriptedConnector({
      handle: ({ path, fail, reply }) =>
        path === '/proxy' ? reply(404, '<html>Not found</html>') : fail(404, 'NO_ISSUE', 'No issue 7'),
    });
    const client = connect(connector);
    expect(await rejection(client.get('/proxy'))).toMatchObject({ kind: 'not-found', origin: 'unknown' });
    expect(await rejection(client.get('/issues/7'))).toMatchObject({ kind: 'not-found', origin: 'connector' });
  });

  it('a login page with status 200 is no session', async () => {
    const connector = await scriptedConnector({
      initialize: ({ reply }) => reply(200, '<html><form>Sign in</form></html>', { 'content-type': 'text/html' }),
    });
    const error = await rejection(connect(connector).get('/items'));
    expect(error).toMatchObject({ name: 'InitializeError', status: 200 });
    expect(connector.requests).toHaveLength(0);
  });

  it('a redirect to a login page is an error, and is not followed with the session', async () => {
    const elsewhere = await scriptedConnector({ guard: false });
    const connector = await scriptedConnector({
      handle: ({ reply }) => reply(302, '', { location: `${elsewhere.url}/login` }),
    });
    expect(await rejection(connect(connector).get('/items'))).toMatchObject({ code: 'REDIRECT', status: 302 });
    expect(elsewhere.requests).toHaveLength(0);
  });
});

describe('an error that is too large to read (E5, E6)', () => {
  it('keeps its status and its class, and does not carry megabytes', async () => {
    const connector = await scriptedConnector({
      handle: ({ fail }) => fail(404, 'NO_ISSUE', 'x'.repeat(3_000_000)),
    });
    const error = await rejection(connect(connector).get('/issues/7'));
    expect(isConnectorError(error, 'not-found')).toBe(true);
    expect(error).toMatchObject({ status: 404, origin: 'unknown' });
    expect(error.message.length).toBeGreaterThan(0);
    expect(error.message.length).toBeLessThan(1000);
  });

  it('control: a short one is quoted', async () => {
    const connector = await scriptedConnector({ handle: ({ fail }) => fail(404, 'NO_ISSUE', 'No issue 7') });
    expect(await rejection(connect(connector).get('/issues/7'))).toMatchObject({
      code: 'NO_ISSUE',
      origin: 'connector',
    });
  });
});
