// Every client reads the same bytes and counts them, with backpressure, over one socket.
import { Writable } from 'node:stream';
import { pipeline as pipe } from 'node:stream/promises';
import { createConnectorClient } from 'concordat/client';
import { Pool } from 'undici';

export type Read = (bytes: number) => Promise<number>;

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

/** What each client does for one file, ready to be called. */
export const contenders: Readonly<Record<string, (url: string) => Read>> = {
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
