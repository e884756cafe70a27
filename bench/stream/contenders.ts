// Every client reads the same bytes and counts them, or sends them, with backpressure, over one socket.
import { Readable, Writable } from 'node:stream';
import { pipeline as pipe } from 'node:stream/promises';
import { createConnectorClient } from 'concordat/client';
import { Pool } from 'undici';

/** Moves that many bytes. @returns how many arrived. */
export type Move = (bytes: number) => Promise<number>;

type Contenders = Readonly<Record<string, (url: string) => Move>>;

class Counter extends Writable {
  bytes = 0;
  override _write(chunk: Buffer, _encoding: string, done: () => void) {
    this.bytes += chunk.length;
    done();
  }
}

async function count(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.length;
  return bytes;
}

/** What each client does to read one file, ready to be called. */
export const downloads: Contenders = {
  'concordat client.stream': (url) => {
    const client = createConnectorClient({ baseUrl: url, initialize: { parameters: { user: 'ada' } }, concurrency: 1 });
    return async (bytes) => {
      const { body } = await client.stream(`/${bytes}`);
      return count(body as unknown as AsyncIterable<Uint8Array>);
    };
  },
  'undici.stream': (url) => {
    const pool = new Pool(url, { connections: 1 });
    return async (bytes) => {
      const counter = new Counter();
      await pool.stream({ path: `/${bytes}`, method: 'GET' }, () => counter);
      return counter.bytes;
    };
  },
  'undici.pipeline': (url) => {
    const pool = new Pool(url, { connections: 1 });
    return async (bytes) => {
      const counter = new Counter();
      const source = pool.pipeline({ path: `/${bytes}`, method: 'GET' }, ({ body }) => body);
      source.end();
      await pipe(source, counter);
      return counter.bytes;
    };
  },
  'undici.request, body read': (url) => {
    const pool = new Pool(url, { connections: 1 });
    return async (bytes) => count((await pool.request({ path: `/${bytes}`, method: 'GET' })).body);
  },
  'fetch, body read': (url) => async (bytes) => {
    const { body } = await fetch(`${url}/${bytes}`);
    return count(body as unknown as AsyncIterable<Uint8Array>);
  },
};

const part = Buffer.alloc(65_536, 'x');

function* parts(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= part.length) yield left < part.length ? part.subarray(0, left) : part;
}

/** What each client does to send one file; the server answers with the bytes that it counted. */
export const uploads: Contenders = {
  'concordat client.put': (url) => {
    const client = createConnectorClient({ baseUrl: url, initialize: { parameters: { user: 'ada' } }, concurrency: 1 });
    return (bytes) => {
      const headers = { 'content-length': String(bytes) };
      return client.put<number>('/upload', { body: () => Readable.from(parts(bytes)), headers });
    };
  },
  'undici.stream': (url) => {
    const pool = new Pool(url, { connections: 1 });
    return async (bytes) => {
      const text: Buffer[] = [];
      const body = Readable.from(parts(bytes));
      const headers = { 'content-length': String(bytes) };
      const reply = new Writable({ write: (chunk, _encoding, done) => done(void text.push(chunk)) });
      await pool.stream({ path: '/upload', method: 'PUT', body, headers }, () => reply);
      return Number(Buffer.concat(text));
    };
  },
  'undici.pipeline': (url) => {
    const pool = new Pool(url, { connections: 1 });
    return async (bytes) => {
      const headers = { 'content-length': String(bytes) };
      const target = pool.pipeline({ path: '/upload', method: 'PUT', headers }, ({ body }) => body);
      const text: Buffer[] = [];
      await pipe(Readable.from(parts(bytes)), target, async (reply: AsyncIterable<Buffer>) => {
        for await (const chunk of reply) text.push(chunk);
      });
      return Number(Buffer.concat(text));
    };
  },
  'undici.request': (url) => {
    const pool = new Pool(url, { connections: 1 });
    return async (bytes) => {
      const headers = { 'content-length': String(bytes) };
      const body = Readable.from(parts(bytes));
      return Number(await (await pool.request({ path: '/upload', method: 'PUT', body, headers })).body.text());
    };
  },
  fetch: (url) => async (bytes) => {
    const body = Readable.toWeb(Readable.from(parts(bytes))) as ReadableStream<Uint8Array>;
    const response = await fetch(`${url}/upload`, { method: 'PUT', body, duplex: 'half' } as RequestInit);
    return Number(await response.text());
  },
};
