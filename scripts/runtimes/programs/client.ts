/** Calls the connector as a service does: `client.js URL` with the transport of the runtime, `client.js URL fetch` with `fetch`. */
import assert from 'node:assert/strict';
import { isConnectorError } from 'concordat';
import { createConnectorClient, isInitializeError, isRequestError } from 'concordat/client';
import { z } from 'zod';

const [url = '', how] = process.argv.slice(2);
const client = createConnectorClient({
  baseUrl: url,
  initialize: { parameters: { user: 'ada', password: 'correct horse' } },
  cleanup: {},
  retry: { minTimeoutMs: 1, maxTimeoutMs: 1 },
  ...(how === 'fetch' ? { fetch: globalThis.fetch } : {}),
});
const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail('it succeeded'),
    (error) => error,
  );
const bytes = Uint8Array.from({ length: 64 * 1024 }, (_, index) => (index * 7) % 256);

const proofs: Record<string, () => Promise<void>> = {
  async 'one login serves all calls'() {
    const issues = await Promise.all(Array.from({ length: 10 }, () => client.get('/issues/7')));
    for (const issue of issues) assert.deepEqual(issue, { id: 7, title: 'Größe, 漢字, 🙂' });
    assert.equal(client.status.counters.logins, 1);
  },
  async 'a lost session is renewed'() {
    await client.post('/cleanup');
    const schema = z.object({ title: z.string() });
    assert.deepEqual(await client.post('/issues', { json: { title: 'Größe' }, schema }), { title: 'Größe' });
    assert.equal(client.status.counters.logins, 2);
  },
  async 'errors have their class and code'() {
    const missing = await failure(client.get('/issues/8'));
    assert.ok(isConnectorError(missing, 'not-found'));
    assert.deepEqual([missing.code, missing.status, missing.origin], ['ISSUE_NOT_FOUND', 404, 'connector']);
    assert.ok(isConnectorError(await failure(client.get('/secret')), 'forbidden'));
    assert.ok(isConnectorError(await failure(client.post('/issues', { json: { title: '' } })), 'bad-request'));
    assert.equal(client.status.counters.pauses, 0);
  },
  async 'a rate limit is waited out'() {
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.get('/limited')));
    assert.equal(answers.length, 8);
    assert.ok(client.status.counters.pauses > 0);
  },
  async 'what fails is retried, then reported'() {
    const before = client.status.counters.retries;
    const error = await failure(client.get('/failing'));
    assert.ok(isConnectorError(error, 'other') && error.status >= 500);
    assert.equal(client.status.counters.retries - before, 5);
  },
  async 'bodies arrive as they were sent, whole, streamed or packed'() {
    assert.deepEqual(Buffer.from(await client.get<Uint8Array>('/file')), Buffer.from(bytes));
    const { body } = await client.stream('/file');
    assert.deepEqual(Buffer.from(await new Response(body).arrayBuffer()), Buffer.from(bytes));
    assert.deepEqual(await client.get('/packed'), { packed: true });
  },
  async 'bodies of every kind can be sent'() {
    const form = new FormData();
    form.set('file', new Blob([bytes]), 'file.bin');
    async function* parts() {
      yield bytes;
      yield 'text';
    }
    const sent = {
      bytes,
      parts: () => parts(),
      stream: () => new Blob([bytes]).stream(),
      blob: new Blob([bytes]),
      form,
    };
    const sizes = [];
    for (const body of Object.values(sent)) sizes.push((await client.put<{ bytes: number }>('/file', { body })).bytes);
    assert.deepEqual(sizes.slice(0, 4), [65_536, 65_540, 65_536, 65_536]);
    assert.ok(sizes[4]! > 65_536);
  },
  async 'a call can be aborted, and has a time limit'() {
    const reason = new Error('no longer wanted');
    assert.equal(
      await failure(client.get('/never', { signal: AbortSignal.timeout(10) })).then((e) => (e as Error).name),
      'TimeoutError',
    );
    assert.equal(await failure(client.get('/never', { signal: AbortSignal.abort(reason) })), reason);
    const late = await failure(client.get('/never', { timeoutMs: 50 }));
    assert.ok(isRequestError(late) && late.code === 'TIMEOUT', String(late));
  },
  async 'no connector is a network error'() {
    const elsewhere = createConnectorClient({
      baseUrl: 'http://127.0.0.1:1',
      initialize: { parameters: {} },
      retry: { retries: 0 },
      ...(how === 'fetch' ? { fetch: globalThis.fetch } : {}),
    });
    const error = await failure(elsewhere.get('/issues/7'));
    assert.ok(isInitializeError(error) && isRequestError(error.cause), String(error));
    assert.equal(error.cause.code, 'NETWORK_ERROR');
    await elsewhere.close();
  },
};

for (const [name, prove] of Object.entries(proofs)) {
  await prove().catch((error: unknown) => {
    throw new Error(`${name}: ${error}`, { cause: error });
  });
}
await client.close();
console.log(`${Object.keys(proofs).length} proofs`);
