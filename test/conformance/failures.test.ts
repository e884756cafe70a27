// What goes wrong below HTTP is said in sentences, and with the status if there is one. Real sockets, since `fetch` hides much.
import { type AddressInfo, createServer } from 'node:net';
import { runConformance } from 'concordat/conformance';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';

const body = JSON.stringify({ errors: { code: 'X', message: 'm' } });
const head = 'HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\n';

const loginProbes = {
  probes: {
    readable: '/items',
    initialize: {
      parameters: [{ key: 'password', value: 'right-canary', sensitive: true }],
      wrongParameters: [{ key: 'password', value: 'wrong-canary', sensitive: true }],
    },
  },
};

/** Judges whatever listens by its unknown route, which gets these bytes; `end` closes the connection after them. */
async function judged(bytes: string, end: boolean): Promise<{ route: string | undefined; body: string | undefined }> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', () => void (end ? socket.end(bytes) : socket.write(bytes)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return judgedAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

async function judgedAt(baseUrl: string) {
  const { results } = await runConformance({ baseUrl, timeoutMs: 20_000 });
  const first = (id: string) => results.find((result) => result.id === id)?.problems[0]?.message;
  return { route: first('routes.unknown-route'), body: first('errors.body') };
}

const summary = 'GET /concordat-conformance/no-such-route';
/** By its code; or by its message, if a test file before this one has loaded undici. */
const notHttp = new RegExp(
  `${summary}: the response is not valid HTTP \\((?:HPE_|Response does not match the HTTP/1.1)`,
);

it('no case passes where nothing listens', async () => {
  const { results } = await runConformance({ baseUrl: 'http://127.0.0.1:2', ...loginProbes });
  expect(results.filter(({ status }) => status === 'passed')).toEqual([]);
  expect(results.find(({ id }) => id === 'errors.body')).toMatchObject({
    status: 'unjudged',
    reason: 'could not be checked: no request got an error response',
  });
});

it('no case about errors passes where there is none', async () => {
  let responses = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => (responses++ < 4 ? socket.end('HTTP/1.1 204 No Content\r\n\r\n') : socket.destroy()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { results } = await runConformance({ baseUrl: `http://127.0.0.1:${port}` });
  const passed = results.filter(({ id, status }) => id.startsWith('errors.') && status === 'passed');
  expect(passed.map(({ id }) => id)).toEqual([]);
  expect(responses).toBeGreaterThan(4);
});

describe('a failure below HTTP is said in a sentence', () => {
  it('where nothing listens', async () => {
    expect(await judgedAt('http://127.0.0.1:2')).toMatchObject({
      route: `${summary}: the connection was refused; expected a response`,
    });
  });

  it.each([
    ['no response at all', '', `${summary}: the connection was closed without a response; expected a response`],
    ['what is not HTTP', 'hello\r\n\r\n', expect.stringMatching(notHttp)],
  ])('%s', async (_name, bytes, message) => {
    expect(await judged(bytes, true)).toEqual({ route: message, body: undefined });
  });

  it('what is not HTTP, to a process that has loaded undici: its errors have no code', async () => {
    const before = getGlobalDispatcher();
    setGlobalDispatcher(new Agent());
    onTestFinished(() => setGlobalDispatcher(before));
    const { route } = await judged('hello\r\n\r\n', true);
    expect(route).toContain(
      `${summary}: the response is not valid HTTP (Response does not match the HTTP/1.1 protocol`,
    );
  });

  it.each([
    ['a body that is cut', 'content-length: 999\r\n\r\n', 'the connection was closed before the body was whole'],
    [
      'a body that is not packed as it says',
      `content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`,
      'the body cannot be decoded: it is not gzip, as content-encoding says',
    ],
  ])('%s: the status counts all the same (E6)', async (_name, rest, message) => {
    const seen = await judged(`${head}${rest}${body}`, true);
    expect(seen.route).toBeUndefined();
    expect(seen.body).toContain(`${summary}: 404: ${message}`);
  });

  it('and is not, where the response is whole (control)', async () => {
    const whole = `${head}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`;
    expect(await judged(whole, true)).toEqual({ route: undefined, body: undefined });
  });
});
