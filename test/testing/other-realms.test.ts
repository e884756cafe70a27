import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished, vi } from 'vitest';
import { simulateInProcess } from './helpers/connect.js';

/** As in happy-dom: names stay as they were written. */
class CasedHeaders extends Headers {
  readonly #names = new Map<string, string>();

  constructor(init?: HeadersInit) {
    super();
    for (const [name, value] of init === undefined ? [] : (Object.entries(init) as [string, string][]))
      this.append(name, value);
  }

  override append(name: string, value: string): void {
    this.#names.set(name.toLowerCase(), name);
    super.append(name, value);
  }

  override *entries(): HeadersIterator<[string, string]> {
    for (const [name, value] of super.entries()) yield [this.#names.get(name) ?? name, value];
  }

  override [Symbol.iterator](): HeadersIterator<[string, string]> {
    return this.entries();
  }
}

it('the client reads headers whose names keep their case', async () => {
  const { clock, connector, client } = simulateInProcess(
    { rateLimit: { limit: 1, windowMs: 60_000 } },
    {
      fetch: async (url, init) => {
        const response = await connector.fetch(url as string, init);
        const headers = new CasedHeaders();
        for (const [name, value] of response.headers)
          headers.append(
            name.replace(/\b\w/g, (c) => c.toUpperCase()),
            value,
          );
        return Object.defineProperty(response, 'headers', { value: headers });
      },
    },
  );
  const both = await clock.runUntil(Promise.all([client.get('/a'), client.get('/b')]));
  expect(both).toEqual([expect.objectContaining({ path: '/a' }), expect.objectContaining({ path: '/b' })]);
  expect(clock.monotonic()).toBe(60_000);
});

it('the simulator reads headers whose names keep their case', async () => {
  vi.stubGlobal('Headers', CasedHeaders);
  onTestFinished(() => void vi.unstubAllGlobals());
  const response = () =>
    Object.defineProperty(new Response('text'), 'headers', { value: new CasedHeaders({ 'Content-Length': '9' }) });
  const { connector } = simulateInProcess({ routes: { '/a': response } });
  const login = await connector.fetch('http://c.test/initialize', { method: 'POST', body: '{}' });
  const [{ value }] = (await login.json()) as [{ value: string }];
  const { status, headers } = await connector.fetch('http://c.test/a', { headers: { 'X-Session': value } });
  expect([status, headers.get('content-length')]).toEqual([200, '4']);
  expect(connector.journal.at(-1)?.headers).toEqual({ 'x-session': value });
});

it('bytes of another realm are bytes, in the simulator and in the client', async () => {
  const Foreign = runInNewContext('Uint8Array') as Uint8ArrayConstructor;
  const { encode } = TextEncoder.prototype;
  const spy = vi.spyOn(TextEncoder.prototype, 'encode').mockImplementation(function (this: TextEncoder, text) {
    return new Foreign(encode.call(this, text)) as Uint8Array<ArrayBuffer>;
  });
  onTestFinished(() => spy.mockRestore());
  const { clock, connector, client } = simulateInProcess({ faults: [{ kind: 'gzip', on: '/zipped' }] });
  expect(await clock.runUntil(client.get('/zipped'))).toMatchObject({ path: '/zipped' });
  await clock.runUntil(client.put('/a', { body: new Foreign([104, 105]) }));
  async function* chunks() {
    yield new Foreign([104, 111]);
  }
  await clock.runUntil(client.put('/b', { body: chunks }));
  expect(connector.journal.map(({ body }) => body).slice(-2)).toEqual(['hi', 'ho']);
});
