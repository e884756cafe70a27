import { Agent } from 'node:http';
import { type ClientHttp2Session, connect, constants, createSecureServer } from 'node:http2';
import { request } from 'node:https';
import { serve, streamRecords } from 'concordat/connector';
import { toNodeHandler } from 'concordat/connector/node';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { certificate } from './support/certificate.js';
import { connectionOf, held } from './support/held.js';
import { makeConnector, withToken } from './support/start.js';

const { cert: ca } = certificate;
const contractBody = { errors: { code: 'NOT_FOUND', message: 'There is no route for GET /none.' } };

const done = makeConnector().get('/', (c) => c.text('done'));

async function start(options: { http2?: boolean }, app: Parameters<typeof serve>[0] = done) {
  const server = await serve(app, { port: 0, tls: certificate, ...options });
  onTestFinished(() => server.close({ graceMs: 0 }));
  return server;
}

/** One request of HTTP/1.1, which is what a caller without ALPN speaks. */
function ask(url: string, path = '/', headers: Record<string, string> = withToken) {
  return new Promise<{ status: number; version: string; body: string }>((resolve, reject) => {
    request(url + path, { ca, headers, agent: false }, (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, version: response.httpVersion, body }));
    })
      .on('error', reject)
      .end();
  });
}

function session(url: string): ClientHttp2Session {
  const opened = connect(url, { ca });
  onTestFinished(() => opened.destroy());
  return opened;
}

function askOver(opened: ClientHttp2Session, path = '/', headers: Record<string, string> = withToken) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    let status = 0;
    let body = '';
    opened
      .request({ ':path': path, ...headers })
      .on('response', (head) => {
        status = Number(head[':status']);
      })
      .setEncoding('utf8')
      .on('data', (chunk) => {
        body += chunk;
      })
      .on('end', () => resolve({ status, body }))
      .on('error', reject)
      .end();
  });
}

test('over HTTP/2, a body that breaks off is an error, too (D2)', async () => {
  async function* failing() {
    yield { id: 1 };
    throw new Error('canary: the cursor failed');
  }
  const connector = makeConnector({ onError: () => {} }).get('/', (c) => streamRecords(c, failing()));
  const { url } = await start({ http2: true }, connector);
  await expect(askOver(session(url))).rejects.toThrow('NGHTTP2_INTERNAL_ERROR');
});

test('over HTTP/2, the body of a request that was cancelled before its response is cancelled, too (D2)', async () => {
  let isAsked = () => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  let isCancelled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
    cancel: () => {
      isCancelled = true;
    },
  });
  const connector = makeConnector({ onError: () => {} }).get('/', async (c) => {
    isAsked();
    await new Promise((resolve) => c.req.raw.signal.addEventListener('abort', resolve));
    await new Promise((resolve) => setTimeout(resolve, 50));
    return c.body(body);
  });
  const stream = session((await start({ http2: true }, connector)).url).request({ ':path': '/', ...withToken });
  stream.on('error', () => {});
  await asked;
  stream.close(constants.NGHTTP2_CANCEL);
  await vi.waitFor(() => expect(isCancelled).toBe(true), { timeout: 10_000 });
});

describe('tls', () => {
  test.each([{ http2: false }, { http2: true }])('serves https, to callers of HTTP/1.1 too: %j', async (options) => {
    const { url, port } = await start(options);
    expect(url).toBe(`https://127.0.0.1:${port}`);
    expect(await ask(url)).toEqual({ status: 200, version: '1.1', body: 'done' });
    const missing = await ask(url, '/none');
    expect([missing.status, JSON.parse(missing.body)]).toEqual([404, contractBody]);
  });

  test('plain http is not answered', async () => {
    const { port } = await start({});
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
    expect(await ask(`https://127.0.0.1:${port}`)).toMatchObject({ status: 200 });
  });

  test.each([
    ['`tls` must have `key` and `cert`', { tls: { key: certificate.key } }],
    ['`tls` must have `key` and `cert`', { tls: true }],
    ['`tls` is not valid: ', { tls: { key: 'none', cert: 'none' } }],
    ['`http2` needs `tls`', { http2: true }],
    ['`http2` must be true or false', { tls: certificate, http2: 'yes' }],
    ['`https` is not an option', { https: certificate }],
    ['`host` is not an option: did you mean `hostname`?', { host: '0.0.0.0' }],
  ])('%s', async (message, options) => {
    const outcome = serve(makeConnector(), { port: 0, ...options } as never);
    await expect(outcome).rejects.toThrow(TypeError);
    await expect(outcome).rejects.toThrow(message);
    await expect(outcome).rejects.not.toThrow(certificate.key);
  });
});

describe('http2', () => {
  test('many requests go over one connection', async () => {
    const opened = session((await start({ http2: true })).url);
    const answers = await Promise.all(Array.from({ length: 50 }, () => askOver(opened)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body}`))).toEqual(new Set(['200 done']));
    expect(opened.alpnProtocol).toBe('h2');
    const missing = await askOver(opened, '/none');
    expect([missing.status, JSON.parse(missing.body)]).toEqual([404, contractBody]);
    expect((await askOver(opened, '/', {})).status).toBe(401);
  });

  test.each([
    ...['connection', 'http2-settings', 'keep-alive', 'proxy-connection'],
    ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
  ])('a response that brings the header %s of another connection goes out without it (E4)', async (name) => {
    const app = new Hono()
      .get('/whole', () => new Response('done', { headers: { [name]: 'x', 'x-kept': '1' } }))
      .get('/empty', () => new Response(null, { headers: { [name]: 'x', 'x-kept': '1' } }));
    const opened = session((await start({ http2: true }, app)).url);
    expect(await askOver(opened, '/whole')).toEqual({ status: 200, body: 'done' });
    const stream = opened.request({ ':path': '/empty' }).resume();
    const head = await new Promise<object>((resolve) => stream.once('response', resolve));
    expect(head).toMatchObject({ ':status': 200, 'x-kept': '1' });
    expect(head).not.toHaveProperty(name);
  });

  test('a response that cannot be written at all ends nothing but its own stream (E4)', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {}); // Hono's node server does
    const listener = toNodeHandler(() => new Response('done'));
    const listened: Promise<void>[] = [];
    const server = createSecureServer(certificate, (incoming, outgoing) => {
      if (incoming.url === '/bad') outgoing.setHeader('keep-alive', 'timeout=5');
      listened.push(listener(incoming as never, outgoing as never));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const opened = session(`https://127.0.0.1:${(server.address() as { port: number }).port}`);
    await expect(askOver(opened, '/bad')).rejects.toThrow('NGHTTP2_INTERNAL_ERROR');
    expect(await askOver(opened)).toEqual({ status: 200, body: 'done' });
    await expect(Promise.all(listened)).resolves.toHaveLength(2);
    print.mockRestore();
  });

  test('close lets what is under way finish, and tells callers to go elsewhere', async () => {
    let release: () => void = () => {};
    let arrive: () => void = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const app = new Hono().get('/', async (c) => {
      arrive();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return c.text('done');
    });
    const server = await start({ http2: true }, app);
    const opened = session(server.url);
    const goaway = new Promise((resolve) => opened.once('goaway', resolve));
    const answer = askOver(opened, '/');
    await arrived;
    const closed = server.close({ graceMs: 3_600_000 });
    expect(await goaway).toBe(0);
    release();
    expect(await answer).toEqual({ status: 200, body: 'done' });
    await closed;
  });

  test('a rolling restart loses no request of a caller who goes on elsewhere after GOAWAY', async () => {
    let handled = 0;
    const app = new Hono().get('/', async (c) => {
      handled += 1;
      await new Promise((resolve) => setTimeout(resolve, 2));
      return c.text('done');
    });
    let current = await start({ http2: true }, app);
    let opened: ClientHttp2Session | undefined;
    const newest = () => {
      if (opened) return opened;
      const fresh = session(current.url);
      opened = fresh;
      return fresh.once('goaway', () => {
        if (opened === fresh) opened = undefined;
      });
    };
    let answered = 0;
    const closing: Promise<void>[] = [];
    const worker = async () => {
      while (answered < 600) {
        const answer = await askOver(newest(), '/').catch((error: Error) => error.message);
        // RFC 9113, 8.7: a stream that is refused was not processed, and may be sent again.
        if (answer === 'Stream closed with error code NGHTTP2_REFUSED_STREAM') continue;
        expect(answer).toEqual({ status: 200, body: 'done' });
        if (++answered % 100 > 0) continue;
        const old = current;
        current = await start({ http2: true }, app);
        closing.push(old.close());
      }
    };
    await Promise.all(Array.from({ length: 10 }, worker));
    opened?.close();
    await Promise.all(closing);
    expect(handled).toBe(answered);
  });

  test('close ends sessions that ask nothing, and cuts what does not end after the grace', async () => {
    const quiet = await start({ http2: true });
    const opened = session(quiet.url);
    await askOver(opened);
    await quiet.close({ graceMs: 3_600_000 });

    const hung = await start(
      { http2: true },
      new Hono().get('/', () => new Promise<Response>(() => {})),
    );
    const cut = session(hung.url);
    cut.on('error', () => {});
    const ended = new Promise<void>((resolve) => cut.once('close', resolve));
    askOver(cut).catch(() => {});
    await new Promise<void>((resolve) => cut.once('remoteSettings', () => resolve()));
    await hung.close({ graceMs: 1 });
    await ended;
  });
});

test('every answer of a server that closes says so', async () => {
  const { arrived, hold, release } = held();
  const app = new Hono()
    .get('/held', async (c) => {
      await hold();
      return c.text('done');
    })
    .get('/now', (c) => c.text('done'));
  const server = await serve(app, { port: 0 });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const connection = (path: string) => connectionOf(server.url + path, agent);
  expect(await connection('/now')).toBe('keep-alive');
  const last = connection('/held');
  await arrived;
  await connection('/now'); // a second connection, which is idle now
  const closed = server.close();
  expect(await connection('/now')).toBe('close');
  release();
  expect(await last).toBe('close');
  await closed;
});
