import { createReadStream } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { BodyOption, RequestBody } from 'concordat/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { connect } from '../helpers/connect.js';
import { holdAll, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, track, until } from '../helpers/until.js';

/** A body, and whether it was let go of. */
const streams: [string, () => { body: BodyOption; isGone: () => boolean }][] = [
  [
    'a Node stream',
    () => {
      const body = Readable.from(['late']);
      return { body, isGone: () => body.destroyed };
    },
  ],
  [
    'a web stream',
    () => {
      let isGone = false;
      const cancel = () => {
        isGone = true;
      };
      return { body: new ReadableStream<Uint8Array>({ cancel }), isGone: () => isGone };
    },
  ],
  [
    'an iterable that can be ended',
    () => {
      let isGone = false;
      const next = async () => ({ done: true, value: undefined }) as const;
      const end = async () => {
        isGone = true;
        return next();
      };
      return { body: { [Symbol.asyncIterator]: () => ({ next }), next, return: end }, isGone: () => isGone };
    },
  ],
];

const refusals: [string, (body: BodyOption) => Promise<unknown>][] = [
  [
    'aborted before it began',
    async (body) => connect(await scriptedConnector()).post('/items', { body, signal: AbortSignal.abort() }),
  ],
  [
    'aborted while it waited',
    async (body) => {
      const hold = holdAll();
      const client = connect(await scriptedConnector({ handle: hold.handler }), { concurrency: 1 });
      const first = client.get('/first');
      await until(() => hold.held.length === 1);
      const controller = new AbortController();
      const call = client.post('/items', { body, signal: controller.signal });
      call.catch(() => {});
      await grace();
      controller.abort();
      hold.release(({ reply }) => reply(200, {}));
      await first;
      return call;
    },
  ],
  [
    'parked at a rate limit',
    async (body) => {
      const connector = await scriptedConnector({ handle: ({ limit }) => limit(60) });
      const client = connect(connector, { rateLimit: { onLimit: 'reject' } });
      await rejection(client.get('/items'));
      return client.post('/items', { body });
    },
  ],
  [
    'without a session',
    async (body) => {
      const connector = await scriptedConnector();
      connector.initialize = ({ reply }) => reply(401, {});
      return connect(connector).post('/items', { body });
    },
  ],
  [
    'made with a closed client',
    async (body) => {
      const client = connect(await scriptedConnector());
      await client.close();
      return client.post('/items', { body });
    },
  ],
  ...(
    [
      ['query', { query: { page: Number.NaN } }],
      ['json', { json: {} }],
      ['timeoutMs', { timeoutMs: -1 }],
      ['bdy', { bdy: '' }],
      ['schema', { responseType: 'stream', schema: z.unknown() }],
    ] as [string, object][]
  ).map(([name, options]): (typeof refusals)[number] => [
    `with a wrong \`${name}\``,
    async (body) => {
      const call = connect(await scriptedConnector()).post('/items', { body, ...options });
      await expect(call).rejects.toThrow(TypeError);
      return call;
    },
  ]),
];

describe.each(refusals)('a call that is refused before it is sent: %s', (_what, refuse) => {
  it.each(streams)('%s is let go of, as it is after an attempt (G8)', async (_name, make) => {
    const { body, isGone } = make();
    await rejection(refuse(body));
    await until(isGone);
  });
});

it.each(['http://other.example/items', '/items'])(
  'of a call that is wrong, a file that does not exist is no error of its own: %s',
  async (path) => {
    const connector = await scriptedConnector();
    const body = createReadStream('/no/such/file');
    const closed = new Promise<void>((resolve) => body.once('close', resolve));
    const options = { body, timeoutMs: -1 };
    expect(await rejection(connect(connector).post(path, options))).toBeInstanceOf(TypeError);
    await closed; // an error that nobody listens for would fail this test
    expect(connector.requests).toHaveLength(0);
  },
);

it('a body factory of a call that is wrong is not called', async () => {
  const body = vi.fn(() => 'x');
  await rejection(connect(await scriptedConnector()).post('/items', { body, timeoutMs: -1 }));
  expect(body).not.toHaveBeenCalled();
});

it('the request of a server is not cut off with its connection: the server can still respond', async () => {
  const connector = await scriptedConnector();
  connector.initialize = ({ reply }) => reply(401, {});
  const client = connect(connector);
  const server = createServer((request, response) => {
    client.put('/file', { body: request }).catch((error) => response.writeHead(502).end(error.name));
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  for (const size of [1, 100_000]) {
    const response = await fetch(`http://127.0.0.1:${port}`, { method: 'PUT', body: 'x'.repeat(size) });
    expect([response.status, await response.text()]).toEqual([502, 'InitializeError']);
  }
});

it('the response of another server that was to be sent is let go of, not read to its end', async () => {
  const endless = createServer((_request, response) => {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(60_000)));
      response.once('drain', write);
    };
    write();
  });
  onTestFinished(() => void endless.close());
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
  const { port } = endless.address() as AddressInfo;
  const body = await new Promise<IncomingMessage>((resolve) => get({ host: '127.0.0.1', port }, resolve));
  const connector = await scriptedConnector();
  connector.initialize = ({ reply }) => reply(401, {});
  await rejection(connect(connector).post('/file', { body }));
  expect(body.destroyed).toBe(true);
});

/** A `body` factory that answers when the test says so. */
function slowFactory() {
  let resolveBody: ((body: RequestBody) => void) | undefined;
  const body = () =>
    new Promise<RequestBody>((resolve) => {
      resolveBody = resolve;
    });
  return {
    body,
    give: (made: BodyOption) => resolveBody?.(made as RequestBody),
    get isAsked() {
      return resolveBody !== undefined;
    },
  };
}

it.each(streams)('%s that its factory makes after the call was aborted is let go of (G8)', async (_name, make) => {
  const connector = await scriptedConnector();
  const controller = new AbortController();
  const { body: made, isGone } = make();
  const factory = slowFactory();
  const client = connect(connector);
  const options = { method: 'POST', path: '/items', body: factory.body, signal: controller.signal } as const;
  const call = rejection(client.request(options));
  await until(() => factory.isAsked);
  controller.abort();
  expect(isGone()).toBe(false);
  factory.give(made);
  await call;
  await until(isGone);
  expect(connector.requests).toHaveLength(0);
});

it.each(streams)(
  '%s that its factory makes after close() is let go of, too: close() waits for none',
  async (_name, make) => {
    const connector = await scriptedConnector();
    const { body: made, isGone } = make();
    const factory = slowFactory();
    const client = connect(connector);
    const call = rejection(client.request({ method: 'POST', path: '/items', body: factory.body }));
    await until(() => factory.isAsked);
    const closing = track(client.close());
    await until(() => closing.settled);
    expect(await call).toMatchObject({ code: 'CLIENT_CLOSED', path: '/items', attempts: 0 });
    expect(isGone()).toBe(false);
    factory.give(made);
    await until(isGone);
    expect(connector.requests).toHaveLength(0);
  },
);

it.each<[string, () => BodyOption]>([
  ['given', () => createReadStream('/no/such/file')],
  ['made by its factory', () => () => createReadStream('/no/such/file')],
])('a stream that fails before its first byte is wanted fails its call, not the process: %s', async (_how, make) => {
  // An error that nobody listens to would be an uncaught exception, which fails the whole run.
  const client = connect(await scriptedConnector());
  expect(await rejection(client.put('/file', { body: make() }))).toMatchObject({ code: 'BODY_FAILED' });
  expect((await rejection(client.put('/file', { body: make(), signal: AbortSignal.abort() }))).name).toBe('AbortError');
  await grace();
});

it.each([
  ['undici', {}],
  ['fetch', { fetch: globalThis.fetch }],
])('a web stream without news is cancelled when its upload is aborted (%s)', async (_name, transport) => {
  const connector = await scriptedConnector();
  const client = connect(connector, transport);
  await client.get('/warm');
  let isRead = false;
  let isGone = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (isRead) return new Promise(() => {});
        isRead = true;
        controller.enqueue(Buffer.from('first'));
        return undefined;
      },
      cancel() {
        isGone = true;
      },
    },
    { highWaterMark: 0 },
  );
  const controller = new AbortController();
  const call = rejection(client.put('/file', { body, signal: controller.signal }));
  await until(() => isRead);
  await grace();
  controller.abort();
  await call;
  await until(() => isGone);
});

it('a body that was made before a pause is let go of, and made anew after it (G8)', async () => {
  const connector = await scriptedConnector({ handle: ({ limit }) => limit(1) });
  const client = connect(connector);
  const made: Readable[] = [];
  const factory = slowFactory();
  const body = async () => {
    if (made.length === 0) await factory.body();
    made.push(Readable.from(['content']));
    return made.at(-1)!;
  };
  const call = track(client.put('/file', { body }));
  await until(() => factory.isAsked);
  const limited = client.get('/limited');
  await until(() => client.status.paused);
  connector.handle = ({ reply }) => reply(200, {});
  factory.give('');
  await until(() => made[0]?.destroyed === true);
  await until(() => call.settled);
  await limited;
  expect([call.error, made.length, connector.requests.at(-1)?.body.toString()]).toEqual([undefined, 2, 'content']);
});

it('what cannot be sent is named: `body` itself may be a form, what its factory returns may not', async () => {
  const client = connect(await scriptedConnector());
  const send = (body: unknown) => rejection(client.request({ method: 'POST', path: '/', body: body as BodyOption }));
  const kinds =
    'must be a string, a Buffer, an ArrayBuffer or a view of one, such as a Uint8Array, a Blob or File, a Node or web stream, or an async iterable';
  const end = '; use `json` for objects.';
  expect((await send({ a: 1 })).message).toBe(`\`body\` ${kinds}, a standard FormData or URLSearchParams${end}`);
  const formOfAnotherKind = { [Symbol.toStringTag]: 'FormData' }; // as of the package form-data
  expect((await send(formOfAnotherKind)).message).toContain('a standard FormData or URLSearchParams');
  const made = await send(() => ({ a: 1 }));
  expect(`${made.message} ${made.cause?.message}`).toContain(`What the \`body\` factory returns ${kinds}${end}`);
});
