import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../helpers/free-port.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { run } from './helpers/run.js';

const login = ['-i', 'user=alice', '-i', 'password=env:PASSWORD'];
const env = { PASSWORD: 'canary-call-password' };

describe('concordat call', () => {
  it('logs in, sends the request, and prints the answer on the output alone', async () => {
    const connector = await scriptedConnector();
    const { code, out, err } = await run(['call', connector.url, 'get', '/issues?limit=2', ...login], { env });
    expect(JSON.parse(out)).toMatchObject({ method: 'GET', path: '/issues?limit=2' });
    expect(err).toMatch(/^Logged in \(\d+ ms\)\n200 in \d+ ms\n$/);
    expect(code).toBe(0);
    expect(JSON.parse(connector.logins[0]!.body.toString())).toEqual([
      { key: 'user', value: 'alice', sensitive: false },
      { key: 'password', value: env.PASSWORD, sensitive: true },
    ]);
  });

  it('shows a login after a 401, and a pause at a limit (S4, G6)', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => {
        if (exchange.number === 1) {
          connector.expireSessions();
          return exchange.fail(401, 'ENDED', 'The session has ended');
        }
        if (exchange.number === 2) return exchange.limit('0');
        return exchange.reply(200, { ok: true });
      },
    });
    const { code, out, err } = await run(['call', connector.url, 'GET', '/x', ...login], { env });
    expect(JSON.parse(out)).toEqual({ ok: true });
    expect(err).toContain('Logged in again: the session had expired');
    expect(err).toMatch(/Rate limit: waiting \d+ ms until \d{4}-/);
    expect(err).toMatch(/Resumed after/);
    expect(err).toMatch(/200 in \d+ ms \(2 logins/);
    expect(code).toBe(0);
  });

  it('exits 1 and says what the service does with an error', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.fail(403, 'DENIED', 'Not for you') });
    const { code, out, err } = await run(['call', connector.url, 'GET', '/x', ...login], { env });
    expect(err).toContain('GET /x: 403 DENIED: Not for you');
    expect(err).toContain('A 403 without the wait header: access is denied.');
    expect([code, out]).toEqual([1, '']);
  });

  it.each([[[]], [['--no-login']]])('exits 2 if nothing responds, with or without a login: %j', async (options) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, out, err } = await run(['call', url, 'GET', '/x', '--retries', '0', ...options]);
    expect(err).toContain('ECONNREFUSED');
    expect([code, out]).toEqual([2, '']);
  });

  it('shows no secret, though the connector echoes it (E5, S7)', async () => {
    const connector = await scriptedConnector({
      initialize: (exchange) => exchange.fail(401, 'WRONG', `Wrong password: ${env.PASSWORD}`),
    });
    const { code, err } = await run(['call', connector.url, 'GET', '/x', ...login], { env });
    expect(err).toContain('Wrong password: [redacted]');
    expect(err).not.toContain(env.PASSWORD);
    expect(code).toBe(1);
  });

  it('prints JSON indented, with every number as it came (D1)', async () => {
    const body =
      '{"id":12345678901234567890, "price":1.0,"none":[],"empty":{ },"list":["a, \\u00f6 {\\u001b\\u009b2J\\u202e",-0,null]}';
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(200, body, { 'content-type': 'application/json' }),
    });
    const { out } = await run(['call', connector.url, 'GET', '/x', ...login], { env });
    expect(out.split('\n')).toEqual([
      '{',
      '  "id": 12345678901234567890,',
      '  "price": 1.0,',
      '  "none": [],',
      '  "empty": {},',
      '  "list": [',
      '    "a, ö {\\u001b\\u009b2J\\u202e",',
      '    -0,',
      '    null',
      '  ]',
      '}',
      '',
    ]);
  });

  it('an answer of text cannot steer the terminal, and is left as it is in a pipe', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(200, 'a\u001b[2Jb', { 'content-type': 'text/plain' }),
    });
    expect((await run(['call', connector.url, 'GET', '/x'], { tty: true })).out).toBe('a\ufffd[2Jb\n');
    expect((await run(['call', connector.url, 'GET', '/x'], { tty: false })).out).toBe('a\u001b[2Jb');
  });

  it('an answer may be larger than those of the service (D1)', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(200, Buffer.alloc(11 * 1024 * 1024), { 'content-type': 'image/png' }),
    });
    const { code, out } = await run(['call', connector.url, 'GET', '/x'], { tty: true });
    expect([code, out]).toEqual([0, '(11534336 bytes)\n']);
  });

  it('a 401 without a login is no session that was refused', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.fail(401, 'NO', 'No session') });
    const { code, err } = await run(['call', connector.url, 'GET', '/x', '--no-login']);
    expect([code, err]).toEqual([1, expect.stringContaining('No session was sent.')]);
    expect(err).not.toContain('refused the new session');
  });

  it('an answer of bytes goes into a pipe as it is, and not to a terminal (D1)', async () => {
    const connector = await scriptedConnector({
      handle: (exchange) => exchange.reply(200, Buffer.from([0x89, 0x1b, 0xff]), { 'content-type': 'image/png' }),
    });
    const args = ['call', connector.url, 'GET', '/x', ...login];
    expect((await run(args, { env })).out).toBe('\u0089\u001b\u00ff');
    expect((await run(args, { env, tty: true })).out).toBe('(3 bytes)\n');
  });

  it.each(['-d', '--data', '--json'])('sends a body (%s) and headers, without a login when told so', async (flag) => {
    const connector = await scriptedConnector({ guard: false });
    const args = ['call', connector.url, 'post', '/issues', '--no-login', flag, '{"title":"x"}', '-H', 'x-trace: 7'];
    const { code, err } = await run(args);
    expect(code).toBe(0);
    expect(err).not.toContain('Logged in');
    expect(connector.logins).toHaveLength(0);
    expect(connector.requests[0]).toMatchObject({ method: 'POST', headers: { 'x-trace': '7' } });
    expect(connector.requests[0]!.body.toString()).toBe('{"title":"x"}');
  });

  it('sends a body as it was written: JavaScript would round its numbers (D1)', async () => {
    const connector = await scriptedConnector({ guard: false });
    const args = ['call', connector.url, 'POST', '/issues', '--no-login', '--data', '{"id": 12345678901234567890}'];
    expect((await run(args)).code).toBe(0);
    expect((await run([...args, '-H', 'Content-Type: application/vnd.api+json'])).code).toBe(0);
    expect(connector.requests.map(({ body }) => body.toString())).toEqual(Array(2).fill(args[6]));
    const types = connector.requests.map(({ headers }) => headers['content-type']);
    expect(types).toEqual(['application/json', 'application/vnd.api+json']);
  });

  describe('a body from a file or the input, as it may be large or secret', () => {
    const large = `{"id": 12345678901234567890, "text": "${'ö'.repeat(200_000)}"}`;
    function folderWith(text: string) {
      const folder = mkdtempSync(path.join(tmpdir(), 'concordat-call-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      writeFileSync(path.join(folder, 'body.json'), text);
      return folder;
    }
    const input = (text: string) => Readable.from([Buffer.from(text)]) as unknown as NodeJS.ReadStream;

    it.each([
      ['--data', '@body.json'],
      ['--json', '@body.json'],
      ['-d', '-'],
    ])('%s %s', async (flag, from) => {
      const connector = await scriptedConnector({ guard: false });
      const args = ['call', connector.url, 'POST', '/issues', '--no-login', flag, from];
      const { code } = await run(args, { cwd: folderWith(`\ufeff${large}`), stdin: input(large) });
      expect(code).toBe(0);
      expect(connector.requests[0]!.body.toString()).toBe(large);
    });

    it.each([
      ['@none.json', 'The file none.json of --data cannot be read: ENOENT'],
      ['@body.json', 'The file body.json of --data is not JSON: '],
      ['-', 'The input, which --data - reads, is not JSON: '],
    ])('%s exits 2 and names it', async (from, message) => {
      const args = ['call', 'http://h', 'POST', '/issues', '--data', from];
      const { code, err } = await run(args, { cwd: folderWith('{'), stdin: input('{') });
      expect(err).toContain(message);
      expect(code).toBe(2);
    });

    it('ends when the user ends it, though the input does not', async () => {
      const stop = new AbortController();
      const stdin = new Readable({ read: () => stop.abort() }) as unknown as NodeJS.ReadStream;
      const { code } = await run(['call', 'http://h', 'POST', '/x', '-d', '-'], { stdin, signal: stop.signal });
      expect(code).toBe(130);
    });
  });

  it('takes a secret header from the environment', async () => {
    const connector = await scriptedConnector({ guard: false });
    const args = ['call', connector.url, 'GET', '/issues', '--no-login', '-H', 'x-api-key: env:KEY'];
    expect((await run(args, { env: { KEY: 'canary' } })).code).toBe(0);
    expect(connector.requests[0]!.headers).toMatchObject({ 'x-api-key': 'canary' });
  });

  it('reads the wait as it is told to (W1, W4), and gives up at one that is too long (W7)', async () => {
    const connector = await scriptedConnector({ handle: (exchange) => exchange.limit('90000', 'x-wait') });
    const args = ['--rate-limit-header', 'x-wait', '--rate-limit-format', 'milliseconds', '--max-wait', '1m'];
    const { code, err } = await run(['call', connector.url, 'GET', '/x', ...args]);
    expect(err).toContain('The rate limit lasts longer than --max-wait.');
    expect(code).toBe(1);
  });

  it.each([
    [['http://127.0.0.1:2', 'GET', '/x', '--no-login', '--retries', '0'], 'GET /x: NETWORK_ERROR'],
    [['http://h', 'GET', 'x'], '`path`'],
    [['http://h', 'GET', '/x', '-d', '{'], '--data is not JSON'],
    [['http://h', 'GET', '/x', '--json', '{'], '--json is not JSON'],
    [['http://h', 'GET', '/x', '-d', '{}', '--json', '{}'], 'cannot be used with option'],
    [['http://h', 'GET', '/x', '-H', 'nonsense'], 'Write a header as NAME=VALUE.'],
    [['http://h', 'GET', '/x', '-H', 'x-api-key: canary'], 'Write x-api-key=env:X_API_KEY'],
    [['http://h', 'GET', '/x', '-H', 'Authorization: Bearer canary'], 'Write Authorization=env:AUTHORIZATION'],
    [['http://h', 'GET', '/x', '-i', 'token=canary'], 'Write token=env:TOKEN'],
    [['http://h', 'GET', '/x', '-i', 'token=env:canary'], 'for "--initialize token=env:…" is not set.'],
    [['http://h', 'GET', '/x', '-H', 'x-key: env:canary'], 'for "--header x-key=env:…" is not set.'],
    [['http://h', 'GET'], "missing required argument 'path'"],
  ])('%j exits 2', async (args, message) => {
    const { code, err } = await run(['call', ...args]);
    expect(err).toContain(message);
    expect(err).not.toContain('canary');
    expect(code).toBe(2);
  });

  it('ends at once when the user ends it', async () => {
    const stop = new AbortController();
    const connector = await scriptedConnector({
      handle: (exchange) => {
        exchange.limit('3600');
        setTimeout(() => stop.abort(new Error('Ended by SIGINT.')), 5);
      },
    });
    const { code } = await run(['call', connector.url, 'GET', '/x'], { signal: stop.signal });
    expect(code).toBe(130);
  });
});
