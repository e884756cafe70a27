import { createConnection } from 'node:net';
import { type Fault, simulateConnector } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { connect, simulateInProcess, simulateOnPort } from './helpers/connect.js';

const noRetry = { retry: { retries: 0 }, timeoutMs: 30_000 };
const routes = { '/issues': { items: ['one', 'two', 'three'] }, 'DELETE /issues/:id': () => undefined };

/** How the real client's call ends. */
async function outcomeOf(
  simulate: typeof simulateOnPort | typeof simulateInProcess,
  fault: Fault | undefined,
  method = 'GET',
) {
  const { clock, connector, client } = await simulate({ routes, faults: fault === undefined ? [] : [fault] }, noRetry);
  const call = client.request({ method, path: '/issues' }).then(
    ({ data }) => ({ data }),
    (error) => ({ name: error.name, code: error.code, kind: error.kind, status: error.status, origin: error.origin }),
  );
  const outcome = await clock.runUntil(call);
  return { outcome, clock, connector };
}

describe.each([
  ['over a socket', simulateOnPort],
  ['over fetch', simulateInProcess],
])('%s', (_name, simulate) => {
  it('without a fault the call is answered (control)', async () => {
    const { outcome, clock } = await outcomeOf(simulate, undefined);
    expect(outcome).toEqual({ data: { items: ['one', 'two', 'three'] } });
    expect(clock.monotonic()).toBe(0);
  });

  it.each([
    [400, 'bad-request', 'BAD_REQUEST'],
    [403, 'forbidden', 'FORBIDDEN'],
    [404, 'not-found', 'NOT_FOUND'],
    [503, 'other', 'CONNECTOR_ERROR'],
  ])('status %i is the error of the contract (E2)', async (status, kind, code) => {
    const { outcome } = await outcomeOf(simulate, { kind: 'status', status });
    expect(outcome).toMatchObject({ kind, code, status, origin: 'connector' });
    const { outcome: own } = await outcomeOf(simulate, { kind: 'status', status, code: 'MY_CODE', message: 'Mine.' });
    expect(own).toMatchObject({ kind, code: 'MY_CODE' });
  });

  it('a reset connection is a network error', async () => {
    const { outcome } = await outcomeOf(simulate, { kind: 'reset' });
    expect(outcome).toMatchObject({ name: 'RequestError', code: 'NETWORK_ERROR' });
  });

  it('an answer that never comes, or never ends, is a time-out', async () => {
    for (const kind of ['hang', 'never-ending'] as const) {
      const { outcome, clock } = await outcomeOf(simulate, { kind });
      expect(outcome).toMatchObject({ name: 'RequestError', code: 'TIMEOUT' });
      expect(clock.monotonic()).toBe(30_000);
    }
  });

  it('a body that is cut off is a network error; that of an error keeps its status (E6)', async () => {
    expect((await outcomeOf(simulate, { kind: 'truncated' })).outcome).toMatchObject({ code: 'NETWORK_ERROR' });
    expect((await outcomeOf(simulate, { kind: 'truncated', status: 404 })).outcome).toMatchObject({
      kind: 'not-found',
      origin: 'unknown',
    });
    expect((await outcomeOf(simulate, { kind: 'never-ending', status: 404 })).outcome).toMatchObject({
      kind: 'not-found',
      origin: 'unknown',
    });
  });

  it.each(['truncated', 'never-ending'] as const)('a body that is %s has the status that it is given', async (kind) => {
    for (const status of [201, 206, 404]) {
      const connector = simulateConnector({ faults: [{ kind, status }], session: false });
      const response = await connector.fetch('http://connector.test/');
      expect(response.status).toBe(status);
      await response.body?.cancel();
    }
  });

  it('the page of a proxy is an error by its status, of unknown origin (E6)', async () => {
    expect((await outcomeOf(simulate, { kind: 'html' })).outcome).toMatchObject({ status: 502, origin: 'unknown' });
    expect((await outcomeOf(simulate, { kind: 'html', status: 404 })).outcome).toMatchObject({
      kind: 'not-found',
      origin: 'unknown',
    });
  });

  it('a slow first byte comes when the clock says so', async () => {
    const { outcome, clock } = await outcomeOf(simulate, { kind: 'slow', delayMs: 29_999 });
    expect(outcome).toHaveProperty('data');
    expect(clock.monotonic()).toBe(29_999);
    const { outcome: tooSlow } = await outcomeOf(simulate, { kind: 'slow', delayMs: 30_001 });
    expect(tooSlow).toMatchObject({ code: 'TIMEOUT' });
  });

  it('a huge body is refused by its size (control: one byte less is not)', async () => {
    const clientOf = async (bytes: number) => {
      const { client } = await simulate({ faults: [{ kind: 'huge', bytes }] }, { maxResponseBytes: 1_000_000 });
      return client.get<string>('/issues');
    };
    expect(await clientOf(1_000_000)).toHaveLength(1_000_000);
    await expect(clientOf(1_000_001)).rejects.toMatchObject({ name: 'RequestError' });
  });

  it('any other answer can be written out', async () => {
    const body = '{"errors":[{"code":7,"message":"an old connector"}]}';
    const { outcome } = await outcomeOf(simulate, {
      kind: 'body',
      status: 400,
      body,
      headers: { 'Content-Type': 'application/json' },
    });
    expect(outcome).toMatchObject({ kind: 'bad-request', code: '7', origin: 'connector' });
  });

  it('`expired` ends the session, and the client logs in again (S4)', async () => {
    const { connector, client } = await simulate({ faults: [{ kind: 'expired', at: 2 }] });
    await client.get('/a');
    await client.get('/a');
    expect(connector.journal.map(({ kind, session, status }) => `${kind} ${session} ${status}`)).toEqual([
      'login 1 200',
      'request 1 200',
      'request 1 401',
      'login 2 200',
      'request 2 200',
    ]);
  });

  it('a reset may come after the request has had its effect, so a POST is not sent again (G7)', async () => {
    const notes = async (fault: Fault) => {
      const { clock, connector, client } = await simulate({ resources: { notes: [] }, faults: [{ ...fault, at: 1 }] });
      const outcome = client.post('/notes', { json: { text: 'once' } }).catch((error) => error.code);
      await clock.runUntil(outcome);
      return [await outcome, connector.resource('notes').all().length];
    };
    expect(await notes({ kind: 'reset', processed: true })).toEqual(['NETWORK_ERROR', 1]);
    expect(await notes({ kind: 'reset' })).toEqual(['NETWORK_ERROR', 0]);
  });

  it.each(['truncated', 'never-ending'] as const)('%s processes the request, whatever its status', async (kind) => {
    for (const status of [undefined, 500] as const) {
      const fault = status === undefined ? { kind } : { kind, status };
      const { clock, client, connector } = await simulate({ resources: { notes: [] }, faults: [fault] }, noRetry);
      await clock.runUntil(client.post('/notes', { json: {} }).catch(() => {}));
      expect(connector.resource('notes').all()).toHaveLength(1);
    }
  });

  it('an answer without a body breaks off, too', async () => {
    const { outcome } = await (async () => {
      const { clock, client } = await simulate({ routes, faults: [{ kind: 'truncated' }] }, noRetry);
      return { outcome: await clock.runUntil(client.delete('/issues/7').catch((error) => error.code)) };
    })();
    expect(outcome).toBe('NETWORK_ERROR');
  });
});

describe('on the wire', () => {
  const raw = (port: number) =>
    new Promise<string>((resolve) => {
      const socket = createConnection(port, '127.0.0.1');
      let text = '';
      socket.write('GET /issues HTTP/1.1\r\nhost: c\r\nconnection: close\r\n\r\n');
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', (error: NodeJS.ErrnoException) => {
        text += error.code;
      });
      socket.on('close', () => resolve(text));
    });
  const wire = async (faults: Fault[]) => {
    const connector = simulateConnector({ session: false, routes, faults });
    const server = await connector.listen();
    try {
      return await raw(server.port);
    } finally {
      await server.close();
    }
  };

  it('a reset is a reset', async () => {
    expect(await wire([{ kind: 'reset' }])).toBe('ECONNRESET');
  });

  it('a cut body is shorter than it says; a whole one is not (control)', async () => {
    const lengths = async (faults: Fault[]) => {
      const [head = '', body = ''] = (await wire(faults)).split('\r\n\r\n');
      return [Number(/content-length: (\d+)/i.exec(head)?.[1]), body.length];
    };
    expect(await lengths([])).toEqual([31, 31]);
    expect(await lengths([{ kind: 'truncated' }])).toEqual([31, 15]);
  });

  it('close() ends requests that are never answered', async () => {
    const server = await simulateConnector({ session: false, faults: [{ kind: 'hang' }] }).listen();
    const hanging = fetch(server.url).catch((error) => error);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await server.close();
    expect(await hanging).toBeInstanceOf(TypeError);
  });
});

describe('rules', () => {
  const statuses = async (faults: NonNullable<Parameters<typeof simulateConnector>[0]>['faults'], paths: string[]) => {
    const connector = simulateConnector({ session: false, ...(faults === undefined ? {} : { faults }) });
    const seen: number[] = [];
    for (const path of paths) seen.push((await connector.fetch(`http://c.test${path}`)).status);
    return { seen, connector };
  };
  const five = ['/a', '/a', '/a', '/a', '/a'];

  it('happen each time, at numbers, every so many, or so often at most', async () => {
    const rule = { kind: 'status', status: 500 } as const;
    expect((await statuses([rule], five)).seen).toEqual([500, 500, 500, 500, 500]);
    expect((await statuses([{ ...rule, at: 2 }], five)).seen).toEqual([200, 500, 200, 200, 200]);
    expect((await statuses([{ ...rule, at: [1, 3] }], five)).seen).toEqual([500, 200, 500, 200, 200]);
    expect((await statuses([{ ...rule, every: 2 }], five)).seen).toEqual([200, 500, 200, 500, 200]);
    expect((await statuses([{ ...rule, every: 2, times: 1 }], five)).seen).toEqual([200, 500, 200, 200, 200]);
  });

  it('count the requests that they are for', async () => {
    const faults = [{ kind: 'status', status: 500, on: 'GET /a/:id', at: 2 } as const];
    expect((await statuses(faults, ['/a/1', '/b', '/a/2', '/a', '/a/3'])).seen).toEqual([200, 200, 500, 200, 200]);
  });

  it('the first that applies decides', async () => {
    const { seen } = await statuses(
      [
        { kind: 'status', status: 500, at: 1 },
        { kind: 'status', status: 503, at: [1, 2] },
      ],
      ['/a', '/a', '/a'],
    );
    expect(seen).toEqual([500, 503, 200]);
  });

  it('may be a function of the request', async () => {
    const { seen } = await statuses(
      ({ number, path }) => (path === '/b' && number > 1 ? { kind: 'status', status: 500 } : undefined),
      ['/b', '/b', '/a'],
    );
    expect(seen).toEqual([200, 500, 200]);
  });
});

it('an abort ends a call that hangs, at once (fetch)', async () => {
  const connector = simulateConnector({ session: false, faults: [{ kind: 'hang' }] });
  const controller = new AbortController();
  const reason = new Error('enough');
  const call = connector.fetch('http://c.test/', { signal: controller.signal });
  await new Promise((resolve) => setImmediate(resolve));
  expect(connector.journal).toHaveLength(1);
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
  await expect(connector.fetch('http://c.test/', { signal: controller.signal })).rejects.toBe(reason);
  expect(connector.journal).toHaveLength(1);
});

it('the client really goes through faults of every sort without losing anything', async () => {
  const { clock, connector, client } = await simulateOnPort({
    rateLimit: { limit: 10, windowMs: 60_000 },
    session: { maxRequests: 7 },
    resources: { notes: [] },
    faults: [
      { kind: 'reset', every: 11 },
      { kind: 'html', every: 13 },
      { kind: 'truncated', every: 17 },
      { kind: 'slow', delayMs: 2000, every: 5 },
      { kind: 'status', status: 503, on: 'login', every: 3 },
    ],
  });
  const ids = Array.from({ length: 100 }, (_, index) => index + 1);
  await clock.runUntil(Promise.all(ids.map((id) => client.put(`/notes/${id}`, { json: { text: `note ${id}` } }))));
  const written = connector.resource('notes').all();
  expect(written.map(({ id }) => Number(id)).sort((one, other) => one - other)).toEqual(ids);
  expect(new Set(connector.journal.flatMap(({ fault }) => fault ?? []))).toEqual(
    new Set(['reset', 'html', 'truncated', 'slow', 'status']),
  );
  connector.assertAllConsumed();
});

it('two clients of one simulator over two ways see one quota', async () => {
  const { clock, connector, client } = await simulateOnPort({ rateLimit: { limit: 2, windowMs: 60_000 } });
  const inProcess = connect({ fetch: connector.fetch, clock });
  await client.get('/a');
  await inProcess.get('/a');
  await clock.runUntil(client.get('/a'));
  expect(clock.monotonic()).toBe(60_000);
});
