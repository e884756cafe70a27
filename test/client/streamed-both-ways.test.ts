// A stream that is read while the request's own body is still being sent, and one whose rest is requested.
import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { BodyOption, ConnectorClientOptions } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connect, connectVirtually } from '../helpers/connect.js';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { grace, rejection, until } from '../helpers/until.js';

const chunk = Buffer.alloc(50_000, 'a');
async function* chunks() {
  for (let sent = 0; sent < 10; sent++) {
    yield chunk;
    await setTimeout(2);
  }
}

const bodies: [string, () => BodyOption][] = [
  ['an async generator', chunks],
  ['a factory of one', () => () => chunks()],
  ['a web stream', () => Readable.toWeb(Readable.from(chunks())) as ReadableStream<Uint8Array>],
  ['a factory of a Node stream', () => () => Readable.from(chunks())],
];
const transports: [string, () => Partial<ConnectorClientOptions>][] = [
  ['undici', () => ({})],
  ['fetch', () => ({ fetch: globalThis.fetch })],
];

describe.each(transports)('by %s', (_transport, options) => {
  it('a body that fails while the response arrives is the reason that is told', async () => {
    const connector = await scriptedConnector({
      early: true,
      handle: ({ response }) => {
        response.writeHead(200);
        response.write('reading;');
        response.req.on('data', (part) => response.write(part));
      },
    });
    const reason = new Error('the file is gone');
    async function* body() {
      yield* chunks();
      throw reason;
    }
    const stream = await connect(connector, options()).stream('/import', { method: 'POST', body: body() });
    const failure = await rejection(new Response(stream.body).text());
    expect(failure).toMatchObject({ code: 'BODY_FAILED', cause: reason });
  });

  it.each(bodies)('%s is sent whole, though the response begins before it has been read (G8)', async (_body, body) => {
    const connector = await scriptedConnector({
      early: true,
      handle: async ({ response }) => {
        const request = response.req;
        response.writeHead(200);
        response.write('reading;');
        let bytes = 0;
        for await (const part of request) bytes += part.length;
        response.end(`${bytes} bytes, ${request.complete}`);
      },
    });
    const stream = await connect(connector, options()).stream('/import', { method: 'POST', body: body() });
    expect(await new Response(stream.body).text()).toBe('reading;500000 bytes, true');
  });
});

it('what is left of a body is let go when its stream is cancelled (G8)', async () => {
  const connector = await scriptedConnector({
    early: true,
    handle: ({ response }) => {
      response.writeHead(200);
      response.write('reading;');
    },
  });
  const body = new Readable({ read() {} });
  body.push('a');
  const stream = await connect(connector).stream('/import', { method: 'POST', body });
  expect(body.destroyed).toBe(false);
  await stream.body.cancel();
  await until(() => body.destroyed);
});

const content = Buffer.alloc(50_000, 'b');
/** Breaks off after 10,000 bytes; `rest` responds to the request for the others. */
const breaking = (rest: (exchange: Exchange, from: number) => unknown) => (exchange: Exchange) => {
  const { headers, response } = exchange;
  const from = Number(/^bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
  if (headers.range !== undefined) return rest(exchange, from);
  response.writeHead(200, { etag: '"v1"', 'accept-ranges': 'bytes', 'content-length': content.length });
  return response.write(content.subarray(0, 10_000), () => response.destroy());
};
const sendRest = ({ response }: Exchange, from: number) => {
  const range = `bytes ${from}-${content.length - 1}/${content.length}`;
  const head = { etag: '"v1"', 'content-range': range, 'content-length': content.length - from };
  response.writeHead(206, head).end(content.subarray(from));
};

it.each([{ totalTimeoutMs: 500 }, {}])('`totalTimeoutMs` does not end what has begun (D4): %o', async (options) => {
  let isLimited = true;
  const connector = await scriptedConnector({
    handle: breaking((exchange, from) => {
      if (!isLimited) return sendRest(exchange, from);
      isLimited = false;
      exchange.limit(60);
    }),
  });
  const { client, clock } = connectVirtually(connector, { totalTimeoutMs: 500 });
  const { body } = await client.stream('/files/7', options);
  const read = new Response(body).arrayBuffer();
  expect((await clock.runUntil(read)).byteLength).toBe(content.length);
});

it('closing the client while the rest is requested is CLIENT_CLOSED, not a lost connection', async () => {
  const connector = await scriptedConnector({ handle: breaking((exchange) => exchange.limit(60)) });
  const client = connect(connector);
  const { body } = await client.stream('/files/7');
  const failure = rejection(new Response(body).arrayBuffer());
  await until(() => client.status.paused);
  await client.close();
  expect(await failure).toMatchObject({ code: 'CLIENT_CLOSED' });
});

it('aborting ends the reading of the rest, too, and leaves nothing on the signal (G4)', async () => {
  const connector = await scriptedConnector({
    handle: breaking(({ response }, from) => {
      const range = `bytes ${from}-${content.length - 1}/${content.length}`;
      const head = { etag: '"v1"', 'content-range': range, 'content-length': content.length - from };
      response.writeHead(206, head).write(content.subarray(from, from + 10));
    }),
  });
  const controller = new AbortController();
  const { body } = await connect(connector).stream('/files/7', { signal: controller.signal });
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
  const failure = rejection(new Response(body).arrayBuffer());
  await until(() => connector.requests.length === 2);
  await grace();
  const reason = new Error('enough');
  controller.abort(reason);
  expect(await failure).toBe(reason);
  await until(() => connector.requests[1]?.socket.destroyed === true);
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
});

it('a stream that was completed by its rest leaves nothing on the signal (G4)', async () => {
  const connector = await scriptedConnector({ handle: breaking(sendRest) });
  const { signal } = new AbortController();
  const { body } = await connect(connector).stream('/files/7', { signal });
  expect((await new Response(body).arrayBuffer()).byteLength).toBe(content.length);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
