// A connector on AWS Lambda: by Hono's handler, and inside servers that stand in for Node's own.
import { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { createConnector, readJson, streamRecords } from 'concordat/connector';
import { toNodeHandler } from 'concordat/connector/node';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parameters, session, withToken } from './support/start.js';

const connector = createConnector({
  initialize: { parameters, handler: ({ parameters: { user } }) => ({ 'x-token': `token-of-${user}` }) },
  session,
  onError: () => {},
});
connector.post('/items', async (c) => c.json(await readJson(c, z.object({ title: z.string() })), 201));
connector.put('/bytes', async (c) => c.text(`${(await c.req.arrayBuffer()).byteLength} bytes`));
connector.get('/photo', (c) => c.body(Uint8Array.of(0x89, 0xff), 200, { 'content-type': 'image/png' }));
connector.get('/records', (c) => streamRecords(c, [{ id: 1 }, { id: 2 }]));

describe('`handle` of hono/aws-lambda', () => {
  const handler = handle(connector);

  async function invoke(method: string, path: string, headers: Record<string, string>, body?: string) {
    const http = { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: '' };
    const requestContext = { domainName: 'lambda.example', http };
    const event = { version: '2.0', rawPath: path, rawQueryString: '', headers, requestContext };
    // Functions get bytes and often text, too, in Base64.
    const sent = body === undefined ? {} : { body: Buffer.from(body).toString('base64'), isBase64Encoded: true };
    const result = await handler({ ...event, ...sent } as unknown as LambdaEvent);
    return { status: result.statusCode, body: Buffer.from(result.body, result.isBase64Encoded ? 'base64' : 'utf8') };
  }

  test('logs in, reads bodies, and sends text, bytes and records', async () => {
    const login = await invoke('POST', '/initialize', {}, '{"user":"alice","password":"correct"}');
    expect([login.status, JSON.parse(String(login.body))[0].value]).toEqual([200, 'token-of-alice']);
    const created = await invoke('POST', '/items', withToken, '{"title":"Größe"}');
    expect([created.status, String(created.body)]).toEqual([201, '{"title":"Größe"}']);
    expect((await invoke('GET', '/photo', withToken)).body).toEqual(Buffer.of(0x89, 0xff));
    expect(String((await invoke('GET', '/records', withToken)).body)).toBe('{"id":1}\n{"id":2}\n');
  });

  test('refuses with the body of the contract', async () => {
    const refused = await invoke('GET', '/records', {});
    expect([refused.status, JSON.parse(String(refused.body)).errors.code]).toEqual([401, 'UNAUTHORIZED']);
  });
});

test('a response without a socket, whose body fails midway, is destroyed, and nothing rejects (E4)', async () => {
  const incoming = new IncomingMessage(new PassThrough() as never);
  Object.assign(incoming, { method: 'GET', url: '/', headers: { host: 'lambda.example' } });
  const outgoing = new ServerResponse(incoming);
  const body = new ReadableStream({
    pull: (controller) => {
      controller.enqueue(new Uint8Array(20_000));
      controller.error(new Error('canary'));
    },
  });
  await toNodeHandler(() => new Response(body))(incoming, outgoing);
  expect([outgoing.headersSent, outgoing.destroyed]).toEqual([true, true]);
});

/** What such a server knows of a request, in its own form. */
type StandIn = (incoming: IncomingMessage, headers: Record<string, string | number>) => void;

const standIns: Record<string, StandIn> = {
  'headers only (serverless-http)': (incoming, headers) => {
    incoming.headers = headers as never;
  },
  'numbers in the raw headers (serverless-express)': (incoming, headers) => {
    incoming.rawHeaders = Object.entries(headers).flat() as never;
    incoming.headers = headers as never;
  },
  'what Node has (control)': (incoming, headers) => {
    incoming.rawHeaders = Object.entries(headers).flat().map(String);
    incoming.headers = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  },
};

describe.each(Object.entries(standIns))('a stand-in for a request of Node with %s', (_what, fill) => {
  /** @param parsed what a parser has left in `body` of the request, which it has read. */
  async function exchange(method: string, url: string, body: string, parsed?: unknown): Promise<string> {
    const incoming = new IncomingMessage(new PassThrough() as never);
    Object.assign(incoming, { method, url, httpVersion: '1.1', httpVersionMajor: 1, httpVersionMinor: 1 });
    fill(incoming, {
      host: 'lambda.example',
      'content-type': 'application/json',
      ...withToken,
      ...(body && { 'content-length': body.length }),
    });
    incoming.push(body);
    incoming.push(null);
    if (parsed !== undefined) {
      incoming.resume();
      Object.assign(incoming, { body: parsed });
    }
    const outgoing = new ServerResponse(incoming);
    let written = '';
    // Its `write` returns nothing, and it never says "drain".
    const socket = Object.assign(new PassThrough(), {
      write(data: string | Uint8Array) {
        written += Buffer.from(data as string).toString('latin1');
      },
    });
    outgoing.assignSocket(socket as never);
    const finished = new Promise((resolve) => outgoing.once('finish', resolve));
    await toNodeHandler(connector)(incoming, outgoing);
    outgoing.emit('finish');
    await finished;
    return written;
  }

  test('reads a body', async () => {
    expect(await exchange('PUT', '/bytes', 'four')).toContain('4 bytes');
  });

  test('takes the session beside a body that was parsed', async () => {
    expect(await exchange('POST', '/items', '{"title":"A"}', { title: 'A' })).toContain('HTTP/1.1 201');
  });

  test('writes a stream', async () => {
    expect(await exchange('GET', '/records', '')).toMatch(/\{"id":1\}.*\{"id":2\}/s);
  });
});
