import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { type FaultRule, simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it, onTestFinished } from 'vitest';

const encoder = new TextEncoder();

/** A handler with responses that stream, and the one that it was told to end. */
function streamingHandler() {
  const cancelled: unknown[] = [];
  const handler = (request: Request) => {
    const { pathname } = new URL(request.url);
    let sent = 0;
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (sent === 3 && pathname === '/broken') throw new Error('the database has gone');
        if (sent === 3 && pathname === '/whole') return controller.close();
        controller.enqueue(encoder.encode(`data: ${++sent}\n\n`));
      },
      cancel: (reason) => void cancelled.push(reason),
    });
    return new Response(stream, { headers: { 'content-type': 'text/event-stream' } });
  };
  return { handler, cancelled };
}

const events = 'data: 1\n\ndata: 2\n\ndata: 3\n\n';

describe.each(['over fetch', 'over a socket'])('%s', (way) => {
  async function connect(handler: (request: Request) => Response) {
    const connector = simulateConnector({ session: false, routes: handler });
    if (way === 'over fetch') return (path: string) => connector.fetch(`http://connector.test${path}`);
    const { url, close } = await connector.listen();
    onTestFinished(close);
    return (path: string) => fetch(url + path);
  }

  it('a route’s stream arrives whole', async () => {
    const get = await connect(streamingHandler().handler);
    expect(await (await get('/whole')).text()).toBe(events);
  });

  it('and as it is made: what never ends is read as far as wanted, and then cancelled', async () => {
    const { handler, cancelled } = streamingHandler();
    const { body } = await (await connect(handler))('/endless');
    let text = '';
    for await (const chunk of body!) {
      text += new TextDecoder().decode(chunk);
      if (text.startsWith(events)) break;
    }
    await expect.poll(() => cancelled, { timeout: 30_000 }).toHaveLength(1);
  });

  it('however fast it is made', async () => {
    const chunk = new Uint8Array(1000);
    const get = await connect(() => new Response(new ReadableStream({ pull: (made) => made.enqueue(chunk) })));
    let length = 0;
    for await (const { byteLength } of (await get('/')).body!) {
      length += byteLength;
      if (length > 1_000_000) break;
    }
    expect(length).toBeGreaterThan(1_000_000);
  });

  it('and breaks off where it fails', async () => {
    const response = await (await connect(streamingHandler().handler))('/broken');
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow(TypeError);
  });

  it('a body that is there at once has its length', async () => {
    const get = await connect(() => Response.json({ id: 7 }));
    expect((await get('/')).headers.get('content-length')).toBe('8');
  });

  it('the headers of a fault replace those of the response, whatever their case', async () => {
    const headers = { 'Content-Type': 'application/problem+json' };
    const connector = simulateConnector({ session: false, faults: [{ kind: 'status', status: 400, headers }] });
    const { url, close } = await connector.listen();
    onTestFinished(close);
    const response = await (way === 'over fetch' ? connector.fetch('http://connector.test/') : fetch(url));
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });

  it('a recording’s length is that of the body that it gives', async () => {
    const response = { status: 200, headers: { 'content-type': 'application/json', 'Content-Length': '12' } };
    const exchanges = [{ request: { method: 'GET', path: '/' }, response: { ...response, json: { a: 1 } } }];
    const recording = { version: 1, recordedAt: '2026-01-01', initialize: null, exchanges } as const;
    const connector = simulateConnector({ session: false, recording });
    const { url, close } = await connector.listen();
    onTestFinished(close);
    const { headers } = await (way === 'over fetch' ? connector.fetch('http://connector.test/') : fetch(url));
    expect(headers.get('content-length')).toBe('7');
  });
});

describe.each<[string, FaultRule[], number?]>([
  ['its connection is reset', [{ kind: 'reset', processed: true }]],
  ['its head is cut', [{ kind: 'cut-head' }]],
  ['an error takes its place', [{ kind: 'truncated', status: 500 }]],
  ['nobody reads on', []],
  ['its caller does not wait for it', [], 1000],
])('a stream is cancelled when %s', (_name, faults, latency = 0) => {
  it.each(['in process', 'on a port'])('%s', async (way) => {
    const cancelled: unknown[] = [];
    const stream = () => {
      return new ReadableStream({
        start: (controller) => controller.enqueue(encoder.encode('a')),
        cancel: (reason) => void cancelled.push(reason),
      });
    };
    const clock = virtualClock();
    const routes = { '/file': () => new Response(stream()) };
    const connector = simulateConnector({ clock, session: false, routes, faults, latency });
    await using server = await connector.listen();
    const caller = new AbortController();
    const call = way === 'on a port' ? fetch : connector.fetch;
    const response = call(`${server.url}/file`, { signal: caller.signal }).catch(() => undefined);
    await clock.advance(10);
    if (latency > 0) caller.abort();
    else await (await response)?.body?.cancel().catch(() => {});
    await response;
    await expect.poll(() => cancelled, { timeout: 30_000 }).toHaveLength(1);
    expect(connector.journal[0]?.status).toBe(latency > 0 ? undefined : (await response)?.status);
  });
});

describe('over fetch', () => {
  it('a function may return the same response again, unless somebody has given up its stream', async () => {
    const [stored, streamed] = [Response.json({ id: 7 }), new Response(new ReadableStream())];
    const file = new Response(
      Readable.toWeb(Readable.from(Array(100).fill(encoder.encode('part ')))) as ReadableStream,
    );
    const routes = { '/stored': () => stored, '/streamed': () => streamed, '/file': () => file };
    const connector = simulateConnector({ session: false, routes });
    for (let call = 0; call < 2; call++) {
      expect(await (await connector.fetch('http://connector.test/stored')).json()).toEqual({ id: 7 });
      expect(await (await connector.fetch('http://connector.test/file')).text()).toBe('part '.repeat(100));
    }
    const statuses = [];
    for (let call = 0; call < 2; call++) {
      const response = await connector.fetch('http://connector.test/streamed');
      statuses.push(response.status);
      await response.body?.cancel();
    }
    expect(statuses).toEqual([200, 500]);
    expect(connector.journal.at(-1)?.error).toBeInstanceOf(TypeError);
  });

  it('leaves nothing on a signal that outlives the call', async () => {
    const { signal } = new AbortController();
    const faults: FaultRule[] = [
      { kind: 'huge', bytes: 10, at: 1 },
      { kind: 'truncated', at: 2 },
      { kind: 'never-ending', at: 3 },
    ];
    const connector = simulateConnector({ session: false, faults });
    const get = () => connector.fetch('http://connector.test/', { signal });
    await (await get()).text();
    await expect((await get()).text()).rejects.toThrow(TypeError);
    await (await get()).body?.cancel();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('text has the content type that fetch gives it', async () => {
    const connector = simulateConnector({ session: false });
    await connector.fetch('http://connector.test/', { method: 'POST', body: 'a' });
    const own = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } };
    await connector.fetch('http://connector.test/', own);
    const types = connector.journal.map(({ headers }) => headers['content-type']);
    expect(types).toEqual(['text/plain;charset=UTF-8', 'application/json']);
  });

  it('requests and responses of another copy of fetch are taken', async () => {
    const undici = await import('undici');
    const connector = simulateConnector({
      session: false,
      routes: { 'POST /other': () => undici.Response.json({ id: 7 }, { status: 201 }) as never },
    });
    const request = new undici.Request('http://connector.test/other', { method: 'POST', body: 'a' });
    const response = await connector.fetch(request as never, { headers: { 'x-a': '1' } });
    expect([response.status, await response.json()]).toEqual([201, { id: 7 }]);
    expect(connector.journal[0]).toMatchObject({ body: 'a', headers: { 'x-a': '1' } });
  });

  it('an abort ends the reading of an upload that stands still', async () => {
    const caller = new AbortController();
    const init = { method: 'POST', body: new ReadableStream(), duplex: 'half', signal: caller.signal } as const;
    const call = simulateConnector({ session: false }).fetch('http://connector.test/', init);
    queueMicrotask(() => caller.abort(new Error('enough')));
    await expect(call).rejects.toThrow('enough');
  });
});
