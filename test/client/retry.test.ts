import { ConnectorError, isConnectorError } from 'concordat';
import type { ClientEvents, ConnectorClient } from 'concordat/client';
import { MockAgent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { retryDelayMs } from '../../src/client/call/react.js';
import { connect, connectVirtually } from '../helpers/connect.js';
import { type Exchange, holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';
import { virtualClock } from '../helpers/virtual-clock.js';

const get = (client: ConnectorClient, path = '/items') => client.request({ method: 'GET', path });
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const ok = (exchange: Exchange) => exchange.reply(200, { path: exchange.path });
const failing = (times: number, fail: (exchange: Exchange) => void) => (exchange: Exchange) =>
  exchange.number <= times ? fail(exchange) : ok(exchange);

const failures: [string, (exchange: Exchange) => void][] = [
  ['500', (exchange) => exchange.fail(500, 'BOOM', 'it broke')],
  ['502', (exchange) => exchange.reply(502, '<html>Bad gateway</html>')],
  ['503', (exchange) => exchange.reply(503)],
  ['504', (exchange) => exchange.reply(504)],
  ['a reset connection', (exchange) => exchange.drop()],
  ['a cut 200', cut],
  ['a cut 200 without a length', cutChunked],
];

describe.each(failures)('%s', (_name, fail) => {
  it.each(['GET', 'OPTIONS', 'PUT', 'DELETE'])('of a %s, which is idempotent, is retried (G7)', async (method) => {
    const connector = await scriptedConnector({ handle: failing(2, fail) });
    const { status } = await connect(connector).request({ method, path: '/items' });
    expect(status).toBe(200);
    expect(connector.requests.map((request) => request.method)).toEqual([method, method, method]);
    expect(connector.logins).toHaveLength(1);
  });

  it.each(['POST', 'PATCH'])('of a %s, which is not, is reported after one request (G7)', async (method) => {
    const connector = await scriptedConnector({ handle: fail });
    const error = await rejection(connect(connector).request({ method, path: '/items', json: {} }));
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toContain(`${method} /items`);
    await grace(10);
    expect(connector.requests).toHaveLength(1);
  });

  it.each(['POST', 'PATCH'])('of a %s with idempotent: true is retried, body and all (G7)', async (method) => {
    const connector = await scriptedConnector({ handle: failing(2, fail) });
    const { status } = await connect(connector).request({ method, path: '/', json: { a: 1 }, idempotent: true });
    expect(status).toBe(200);
    expect(connector.requests.map(({ body }) => String(body))).toEqual(many(3, () => '{"a":1}'));
  });

  it('of a GET with idempotent: false is reported after one request', async () => {
    const connector = await scriptedConnector({ handle: fail });
    await rejection(connect(connector).request({ method: 'GET', path: '/', idempotent: false }));
    expect(connector.requests).toHaveLength(1);
  });

  it.each([
    [0, 1],
    [1, 2],
    [3, 4],
  ])('with retries: %i makes %i requests', async (retries, expected) => {
    const connector = await scriptedConnector({ handle: fail });
    const error = await rejection(get(connect(connector, { retry: { retries } })));
    expect(error).toBeInstanceOf(Error);
    expect(connector.requests).toHaveLength(expected);
  });
});

it('a HEAD is idempotent, too (G7)', async () => {
  const connector = await scriptedConnector({ handle: failing(2, (exchange) => exchange.reply(500)) });
  await expect(connect(connector).request({ method: 'HEAD', path: '/' })).resolves.toMatchObject({ status: 200 });
  expect(connector.requests).toHaveLength(3);
});

describe('retry.statusCodes (G7)', () => {
  const retry = { statusCodes: [425, 522] };

  it.each([425, 522])('%i is retried if they name it', async (status) => {
    const connector = await scriptedConnector({ handle: failing(2, (exchange) => exchange.reply(status)) });
    await expect(get(connect(connector, { retry }))).resolves.toMatchObject({ status: 200 });
    expect(connector.requests).toHaveLength(3);
  });

  it('they replace the default', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(500) });
    await expect(get(connect(connector, { retry }))).rejects.toMatchObject({ status: 500 });
    expect(connector.requests).toHaveLength(1);
  });

  it('they are no licence to repeat a POST', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(522) });
    const post = connect(connector, { retry }).request({ method: 'POST', path: '/items', json: {} });
    await expect(post).rejects.toMatchObject({ status: 522 });
    expect(connector.requests).toHaveLength(1);
  });

  it('they hold for a login, too (S6)', async () => {
    const connector = await scriptedConnector();
    connector.initialize = (exchange) => (exchange.number <= 2 ? exchange.reply(522) : connector.logIn(exchange));
    await expect(get(connect(connector, { retry }))).resolves.toMatchObject({ status: 200 });
    expect(connector.logins).toHaveLength(3);
  });

  it('a 401 and a rate limit keep their own rules', async () => {
    const connector = await scriptedConnector({
      handle: failing(1, (exchange) => exchange.reply(401)),
    });
    const client = connect(connector, { retry: { retries: 0, statusCodes: [401, 403, 429] } });
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
    expect(connector.logins).toHaveLength(2);
  });
});

it('five retries are the default', async () => {
  const connector = await scriptedConnector({ handle: (exchange) => exchange.fail(500, 'BOOM', 'it broke') });
  const error = await rejection(get(connect(connector)));
  expect(connector.requests).toHaveLength(6);
  expect(error).toBeInstanceOf(ConnectorError);
  expect(error).toMatchObject({ kind: 'other', status: 500, code: 'BOOM', origin: 'connector', method: 'GET' });
  expect(error.message).toContain('it broke');
  expect(error.message).toContain('GET /items');
});

describe('all other responses are reported at once', () => {
  it.each([400, 402, 403, 404, 405, 406, 409, 410, 412, 415, 418, 422, 423, 424, 451, 501, 505, 507, 511, 599])(
    '%i of a GET is not retried (E2)',
    async (status) => {
      const connector = await scriptedConnector({ handle: (exchange) => exchange.fail(status, 'X', 'no') });
      const error = await rejection(get(connect(connector)));
      expect(isConnectorError(error)).toBe(true);
      expect(error).toMatchObject({ status, code: 'X', origin: 'connector' });
      await grace(10);
      expect(connector.requests).toHaveLength(1);
    },
  );

  it('data that the schema refuses is not fetched again', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(200, { id: 'seven' }) });
    const schema = z.object({ id: z.number() });
    const error = await rejection(connect(connector).request({ method: 'GET', path: '/items/7', schema }));
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toContain('GET /items/7');
    expect(error.message).toContain('id');
    expect(connector.requests).toHaveLength(1);
  });

  it('a whole 200 with broken JSON is not fetched again, and is no SyntaxError', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(200, '{"a":', { 'content-type': 'application/json' }),
    });
    const error = await rejection(get(connect(connector)));
    expect(error).not.toBeInstanceOf(SyntaxError);
    expect(error.message).toContain('GET /items');
    expect(connector.requests).toHaveLength(1);
  });
});

describe('timeouts of an attempt', () => {
  it('of a GET are retried', async () => {
    const connector = await scriptedConnector({ handle: failing(1, () => {}) });
    const { client, clock } = connectVirtually(connector, { timeoutMs: 300 });
    await expect(clock.runUntil(get(client))).resolves.toMatchObject({ status: 200 });
    expect(connector.requests).toHaveLength(2);
  });

  it('of a POST are not: nobody knows whether it was done', async () => {
    const connector = await scriptedConnector({ handle: () => {} });
    const { client, clock } = connectVirtually(connector, { timeoutMs: 60 });
    await clock.runUntil(rejection(client.request({ method: 'POST', path: '/items', json: {} })));
    expect(connector.requests).toHaveLength(1);
  });
});

describe('an unreachable connector', () => {
  it('rejects with an error that names the request, after the retries', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector, { retry: { retries: 2 } });
    const retries: ClientEvents['retry'][] = [];
    await get(client);
    client.on('retry', (retry) => retries.push(retry));
    await connector.close();
    const error = await rejection(get(client));
    expect(error).toBeInstanceOf(Error);
    expect(error.message).toContain('GET /items');
    expect(retries).toHaveLength(2);
  });
});

describe('delays', () => {
  const chances = [
    [0, [100, 200, 400, 800, 1000]],
    [0.5, [150, 300, 600, 1000, 1000]],
    [0.75, [175, 350, 700, 1000, 1000]],
  ] as const;
  it.each(chances)(
    'double from minTimeoutMs, with up to as much again at random: %d (G7)',
    async (random, expected) => {
      const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(500) });
      const { client, clock } = connectVirtually(connector, { retry: { minTimeoutMs: 100, maxTimeoutMs: 1000 } });
      clock.random = () => random;
      const delays: number[] = [];
      client.on('retry', ({ delayMs }) => delays.push(delayMs));
      await clock.runUntil(rejection(get(client)));
      expect(delays).toEqual(expected);
      expect(clock.monotonic()).toBe(expected.reduce((sum, delayMs) => sum + delayMs, 0));
    },
  );

  it.each(chances)('are the same for a login: %d (S5)', async (random, expected) => {
    const connector = await scriptedConnector({ initialize: (exchange) => exchange.reply(500) });
    const { client, clock } = connectVirtually(connector, { retry: { minTimeoutMs: 100, maxTimeoutMs: 1000 } });
    clock.random = () => random;
    const delays: number[] = [];
    client.on('retry', ({ delayMs }) => delays.push(delayMs));
    await clock.runUntil(rejection(get(client)));
    expect(delays).toEqual(expected);
    expect(connector.logins).toHaveLength(6);
  });

  it('grow from minTimeoutMs and stay below maxTimeoutMs; nothing is sent before they are over', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(500) });
    const { client, clock } = connectVirtually(connector, {
      retry: { retries: 6, minTimeoutMs: 1000, maxTimeoutMs: 5000 },
    });
    const delays: number[] = [];
    client.on('retry', ({ delayMs }) => delays.push(delayMs));
    const call = track(get(client));
    for (let attempt = 1; attempt <= 6; attempt++) {
      await until(() => delays.length === attempt);
      await until(() => clock.pending > 0);
      await clock.advance((delays[attempt - 1] ?? 0) - 1);
      await grace(5);
      expect(connector.requests).toHaveLength(attempt);
      await clock.advance(1);
      await until(() => connector.requests.length === attempt + 1);
    }
    await until(() => call.settled);
    expect(delays.every((delay) => delay >= 1000 && delay <= 5000)).toBe(true);
    expect(delays[2]).toBeGreaterThan(delays[0] ?? 0);
  });

  it('a retry obeys the gate like everything else (G1)', async () => {
    const connector = await scriptedConnector();
    const { client, clock } = connectVirtually(connector, { retry: { minTimeoutMs: 1000, maxTimeoutMs: 1000 } });
    await get(client);
    const hold = holdAll();
    connector.handle = hold.handler;
    const calls = [track(get(client, '/a')), track(get(client, '/b'))];
    await until(() => hold.held.length === 2);
    const [failed, limited] = hold.held.splice(0);
    failed?.reply(500);
    limited?.limit(3600);
    await until(() => client.status.paused);
    connector.handle = ok;
    await clock.advance(3_599_999);
    await grace();
    expect(connector.requests).toHaveLength(3);
    await clock.advance(1);
    await until(() => calls.every(({ settled }) => settled));
    expect(calls.every(({ error }) => error === undefined)).toBe(true);
  });

  it('budgets are per call: one that uses up its retries takes none from the others', async () => {
    const connector = await scriptedConnector();
    const seen = new Map<string, number>();
    connector.handle = (exchange) => {
      const count = (seen.get(exchange.path) ?? 0) + 1;
      seen.set(exchange.path, count);
      return exchange.path === '/broken' || count <= 2 ? exchange.reply(500) : ok(exchange);
    };
    const client = connect(connector, { retry: { retries: 2 } });
    const results = await Promise.allSettled([
      get(client, '/broken'),
      get(client, '/a'),
      get(client, '/broken'),
      get(client, '/b'),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled']);
  });

  it('a login between two failures does not start the count anew, nor use it up', async () => {
    const connector = await scriptedConnector({ guard: false });
    const script = [500, 401, 500, 200];
    connector.handle = (exchange) => exchange.reply(script.shift() ?? 200, {});
    const client = connect(connector, { retry: { retries: 2 } });
    await expect(get(client)).resolves.toMatchObject({ status: 200 });
    expect(connector.requests).toHaveLength(4);
  });
});

it("a request that a test's MockAgent does not expect is reported at once", async () => {
  const agent = new MockAgent();
  onTestFinished(() => agent.close());
  agent.disableNetConnect();
  const initialize = async () => ({ 'x-session': '1' });
  const client = connect({ url: 'http://connector.test' }, { dispatcher: agent, initialize });
  const error = await rejection(get(client));
  expect(error).toMatchObject({ code: 'NETWORK_ERROR', attempts: 1, cause: { code: 'UND_MOCK_ERR_MOCK_NOT_MATCHED' } });
});

function cut(exchange: Exchange) {
  exchange.response.writeHead(200, { 'content-type': 'application/json', 'content-length': '99' });
  exchange.response.write('{"half":');
  setTimeout(() => exchange.drop(), 3);
}

function cutChunked(exchange: Exchange) {
  exchange.response.writeHead(200, { 'content-type': 'application/json' });
  exchange.response.write('{"whole":true}');
  setTimeout(() => exchange.drop(), 3);
}

it('the wait before a retry is a number, however many there are', () => {
  const [retry, clock] = [{ retries: 2000, minTimeoutMs: 0, maxTimeoutMs: 30_000, statusCodes: [] }, virtualClock()];
  expect(retryDelayMs(2000, { retry, clock })).toBe(0);
  expect(retryDelayMs(2000, { retry: { ...retry, minTimeoutMs: 500 }, clock })).toBe(30_000);
});
