// What users of the client tried in their first week, and what they got wrong.
import { gzipSync } from 'node:zlib';
import type { ConnectorClient, RequestOptions } from 'concordat/client';
import { Headers as OtherHeaders } from 'undici';
import { describe, expect, it } from 'vitest';
import { connect, connectVirtually } from '../helpers/connect.js';
import { holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

describe('a buffer that its owner uses again', () => {
  it('does not change what was given to calls before', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    const buffer = Buffer.alloc(8);
    const calls = ['record-1', 'record-2', 'record-3'].map((text) => {
      buffer.write(text);
      return client.put('/items', { body: buffer });
    });
    await Promise.all(calls);
    expect(connector.requests.map(({ body }) => String(body)).sort()).toEqual(['record-1', 'record-2', 'record-3']);
  });

  it('nor what a call sends again', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => (exchange.number === 1 ? exchange.limit(60) : exchange.reply(200, {})),
    });
    const { client, clock } = connectVirtually(connector);
    const buffer = Buffer.from('abc');
    const call = track(client.post('/items', { body: buffer.subarray(0, 2) }));
    await until(() => client.status.paused);
    buffer.write('zzz');
    await clock.advance(60_000);
    await until(() => call.settled);
    expect(connector.requests.map(({ body }) => String(body))).toEqual(['ab', 'ab']);
  });
});

describe('headers', () => {
  it.each<[string, unknown]>([
    ['a Map', new Map([['x-tenant', 'acme']])],
    ['Headers of another copy of fetch', new OtherHeaders({ 'x-tenant': 'acme' })],
  ])('in %s are sent, of a client and of a call', async (_what, headers) => {
    const connector = await scriptedConnector();
    await connect(connector, { headers: headers as never }).get('/items');
    await connect(connector).get('/items', { headers: headers as never });
    expect(connector.requests.map((request) => request.headers['x-tenant'])).toEqual(['acme', 'acme']);
  });

  it('cannot give a form a type without its boundary', async () => {
    const form = new FormData();
    form.append('a', 'b');
    const connector = await scriptedConnector();
    const send = (options: RequestOptions) => connect(connector).post('/items', { body: form, ...options });
    await expect(send({ headers: { 'Content-Type': 'multipart/form-data' } })).rejects.toThrow(
      /^`headers`: leave out "content-type" with a FormData/,
    );
    await send({});
    expect(connector.requests[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  });
});

describe('what a login function requests', () => {
  const logIn = async (options: object) => {
    const connector = await scriptedConnector({ guard: false });
    const client = connect(connector, {
      initialize: async ({ request }) => {
        await request({ method: 'POST', path: '/initialize', ...options });
        return { 'x-session': 'session-1' };
      },
    });
    await client.get('/items');
    return connector.logins[0];
  };

  it.each(['query', 'timeoutMs', 'header'])('cannot have the option %s', async (name) => {
    const { cause } = await rejection(logIn({ [name]: {} }));
    expect(cause).toBeInstanceOf(TypeError);
    expect((cause as Error).message).toContain(`\`${name}\` is not an option`);
  });

  it('may be a form, whose values are secret (E5)', async () => {
    const login = await logIn({ body: new URLSearchParams({ grant_type: 'password', password: 'geheim17' }) });
    expect(login?.headers['content-type']).toMatch(/^application\/x-www-form-urlencoded/);
    expect(String(login?.body)).toBe('grant_type=password&password=geheim17');
    const connector = await scriptedConnector({ initialize: ({ fail }) => fail(400, 'NO', 'Not geheim17') });
    const client = connect(connector, {
      initialize: async ({ request }) => {
        await request({ method: 'POST', path: '/initialize', body: new URLSearchParams({ password: 'geheim17' }) });
        return {};
      },
    });
    expect((await rejection(client.get('/items'))).message).toContain('Not [redacted]');
  });
});

it('a login function that never ends keeps no timer once the client has closed', async () => {
  const connector = await scriptedConnector();
  const { client, clock } = connectVirtually(connector, { initialize: () => new Promise(() => {}) });
  const call = track(client.get('/items'));
  await until(() => clock.pending > 0);
  await client.close();
  await until(() => call.settled);
  await until(() => clock.pending === 0);
});

it.each([undefined, 5, {}, Promise.resolve('a')])(
  'a scope that is %o is refused: limits would be mixed up',
  async (scope) => {
    const connector = await scriptedConnector();
    const client = connect(connector, { rateLimit: { scope: () => scope as never } });
    await expect(client.get('/items')).rejects.toThrow(/`rateLimit.scope` must return a string, got/);
  },
);

it('a misspelt option of close() is named', async () => {
  const client = connect(await scriptedConnector());
  expect(() => client.close({ graceMS: 100 } as never)).toThrow('`graceMS` is not an option: did you mean `graceMs`?');
});

describe('a stream', () => {
  const failures = (client: ConnectorClient) => {
    const seen: unknown[] = [];
    client.on('error', ({ path, error }) => seen.push([path, error]));
    return seen;
  };

  it('that breaks off is told of, like a call that fails (G6)', async () => {
    const connector = await scriptedConnector({
      handle: ({ response }) => {
        response.writeHead(200, { 'content-length': 1000 });
        response.write('abc', () => response.destroy());
      },
    });
    const client = connect(connector);
    const seen = failures(client);
    const { body } = await client.stream('/export?of=7');
    const error = await rejection(new Response(body).text());
    expect(seen).toEqual([['/export', error]]);
  });

  it('is told of once, though its rest was requested, too', async () => {
    const connector = await scriptedConnector({
      handle: ({ number, response, fail }) => {
        if (number > 1) return fail(404, 'GONE', 'Gone');
        response.writeHead(200, { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': 1000 });
        response.write('abc', () => response.destroy());
      },
    });
    const client = connect(connector);
    const seen = failures(client);
    const { body } = await client.stream('/export');
    const error = await rejection(new Response(body).text());
    expect(connector.requests).toHaveLength(2); // control
    expect(seen).toEqual([['/export', error]]);
  });

  it.each<[string, Buffer, number]>([
    ['cannot be unpacked', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3]), 1000],
    ['is larger unpacked than allowed', gzipSync('x'.repeat(2000)), 1000],
  ])('that %s is told of', async (_what, packed, maxStreamBytes) => {
    const connector = await scriptedConnector({
      handle: ({ reply }) => reply(200, packed, { 'content-encoding': 'gzip' }),
    });
    const client = connect(connector, { maxStreamBytes });
    const seen = failures(client);
    const { body } = await client.stream('/export');
    const error = await rejection(new Response(body).text());
    expect(seen).toEqual([['/export', error]]);
  });

  it('that breaks off while it is packed is told of once', async () => {
    const connector = await scriptedConnector({
      handle: ({ response }) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.write(gzipSync('x'.repeat(100_000)).subarray(0, -20), () => response.destroy());
      },
    });
    const client = connect(connector);
    const seen = failures(client);
    const { body } = await client.stream('/export');
    const error = await rejection(new Response(body).text());
    await grace();
    expect(seen).toEqual([['/export', error]]);
  });

  it.each<[string, (body: ReadableStream<Uint8Array>) => Promise<unknown>]>([
    ['cancels', (body) => body.cancel()],
    ['cancels with a reason', (body) => body.cancel(new Error('enough'))],
    [
      'leaves',
      async (body) => {
        for await (const _chunk of body) break;
      },
    ],
  ])('whose reader %s before it is unpacked is not', async (_how, end) => {
    const connector = await scriptedConnector({
      handle: ({ response }) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).write(gzipSync('x'.repeat(100_000)).subarray(0, -20));
      },
    });
    const client = connect(connector);
    const seen = failures(client);
    await end((await client.stream('/export')).body);
    await until(() => connector.open.length === 0);
    await grace();
    expect(seen).toEqual([]);
  });

  it('that its reader ends is not', async () => {
    const hold = holdAll();
    const connector = await scriptedConnector({
      handle: (exchange) => {
        exchange.response.writeHead(200).write('abc');
        hold.handler(exchange);
      },
    });
    const client = connect(connector);
    const seen = failures(client);
    const controller = new AbortController();
    const { body } = await client.stream('/export', { signal: controller.signal });
    const reading = rejection(new Response(body).text());
    controller.abort(await rejection(client.get('/other', { totalTimeoutMs: 1 })));
    await reading;
    expect(seen.splice(0)).toMatchObject([['/other', { code: 'BUDGET_EXCEEDED' }]]);
    const other = await client.stream('/export');
    await other.body.cancel();
    await grace();
    expect(seen).toEqual([]);
  });
});
