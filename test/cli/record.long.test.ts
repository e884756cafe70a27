import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NotFoundError, RateLimitError, UnauthorizedError } from 'concordat';
import { createConnector, serve } from 'concordat/connector';
import { type Recording, simulateConnector } from 'concordat/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { run } from './helpers/run.js';

const password = 'correct/horse "7"';
const token = 'tok-5f3a9c1e7b';
const env = { PASSWORD: password };

/** A real connector on a port, with a body for `/me` and one for `/issues`. */
async function connector({
  me = {},
  headers = {},
  issues = [{ id: 7, title: 'a', closed: null }],
  text = Buffer.alloc(0),
  textType = 'text/csv',
  file = { bytes: Buffer.alloc(0), type: 'image/png' },
}: {
  me?: object;
  headers?: Record<string, string>;
  issues?: unknown;
  text?: Buffer<ArrayBuffer>;
  textType?: string;
  file?: { bytes: Buffer<ArrayBuffer>; type: string };
} = {}) {
  let limited = true;
  const app = createConnector({
    onError: () => {},
    initialize: {
      parameters: z.object({ user: z.string(), password: z.string() }),
      handler({ parameters }) {
        if (parameters.password !== password) throw new UnauthorizedError('Wrong password.');
        return { 'x-token': token };
      },
    },
    session: z.object({ 'x-token': z.string() }),
    verify: (session) => session['x-token'] === token,
  });
  app.get('/issues', (c) => {
    if (limited) {
      limited = false;
      throw new RateLimitError('Slow down', { retryAfterMs: 1 });
    }
    return c.json(issues as never);
  });
  app.get('/issues/:id', (c) => {
    throw new NotFoundError(`No issue ${c.req.param('id')}`, { code: 'ISSUE_NOT_FOUND' });
  });
  app.get('/me', (c) => c.json(me, 200, headers));
  app.get('/text', (c) => c.body(text, 200, { 'content-type': textType }));
  app.get('/file', (c) => c.body(file.bytes, 200, { 'content-type': file.type }));
  const posts: string[] = [];
  app.post('/issues', async (c) => {
    posts.push(await c.req.text());
    return c.json({ id: 8 }, 201);
  });
  const server = await serve(app, { port: 0, hostname: '127.0.0.1' });
  onTestFinished(() => server.close());
  return { baseUrl: server.url, posts };
}

const probes = {
  initialize: {
    parameters: [
      { key: 'user', value: 'alice', sensitive: false },
      { key: 'password', value: 'env:PASSWORD', sensitive: true },
    ],
  },
  readable: '/issues',
  unknown: '/issues/0',
};

function folderWith(config: object): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-record-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, 'concordat.config.json'), JSON.stringify(config));
  return folder;
}

async function record(options: Parameters<typeof connector>[0] = {}, config: object = {}, args: string[] = []) {
  const { baseUrl, posts } = await connector(options);
  const cwd = folderWith({ baseUrl, probes, ...config });
  const result = await run(['record', 'concordat.config.json', ...args], { cwd, env });
  const file = path.join(cwd, 'recording.json');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  return {
    ...result,
    baseUrl,
    cwd,
    posts,
    text,
    recording: text === undefined ? undefined : (JSON.parse(text) as Recording),
  };
}

describe('concordat record', () => {
  it('keeps the responses of the probes and of `record`, and the simulator replays them', async () => {
    const { code, err, text, recording } = await record({ me: { name: 'Ada' } }, { record: ['/me'] });
    expect([code, err]).toEqual([0, '3 responses recorded, see recording.json\n']);
    expect(text).toContain('\n  "exchanges": [');
    expect(recording?.initialize).toEqual({ path: '/initialize', session: ['x-token'] });
    expect(recording?.exchanges.map(({ request, response }) => [request.path, response.status, response.json])).toEqual(
      [
        ['/issues', 200, [{ id: 7, title: 'a', closed: null }]], // not the rate limit before it
        ['/issues/0', 404, { errors: { code: 'ISSUE_NOT_FOUND', message: 'No issue 0' } }],
        ['/me', 200, { name: 'Ada' }],
      ],
    );
    const simulated = simulateConnector({ recording: recording as Recording, session: false });
    expect(await (await simulated.fetch('http://c.test/me')).json()).toEqual({ name: 'Ada' });
  });

  it('says that what should be readable fails: an outage would be recorded unseen', async () => {
    const { code, err } = await record({}, { probes: { ...probes, readable: '/issues/1' } });
    expect([code, err]).toEqual([
      0,
      '2 responses recorded, see recording.json\nGET /issues/1, which should be readable, is a 404.\n',
    ]);
  });

  it('gives up on a denial with the wait header, which would be a limit for ever', async () => {
    const connector = await scriptedConnector({ guard: false, handle: ({ limit }) => limit(1) });
    const probes = { forbidden: '/admin' };
    const cwd = folderWith({ baseUrl: connector.url, probes, maxWaitMs: 1500 });
    const { code, err } = await run(['record', 'concordat.config.json'], { cwd });
    expect([code, err]).toEqual([2, expect.stringContaining('GET /admin could not be recorded')]);
  });

  it('takes out what was logged in with and the session, however JSON and URLs write them', async () => {
    const me = { note: `used ${password} and ${token}`, next: `/me?p=${encodeURIComponent(password)}`, list: [token] };
    const { code, text, recording } = await record({ me }, { record: ['/me'] });
    expect(code).toBe(0);
    expect(text).not.toContain(token);
    expect(text).not.toContain('horse');
    expect(recording?.exchanges[2]?.response.json).toEqual({
      note: 'used [redacted] and [redacted]',
      next: '/me?p=[redacted]',
      list: ['[redacted]'],
    });
  });

  it.each([
    ['a host in capitals', (url: string) => url.replace('127.0.0.1', 'LOCALHOST')],
    ['a short address', (url: string) => url.replace('127.0.0.1', '127.1')],
    ['a port with a zero', (url: string) => url.replace(/(\d+)$/, '0$1')],
  ])('takes out the session with %s in the URL', async (_name, spell) => {
    const { baseUrl } = await connector({ me: { token } });
    const cwd = folderWith({ probes, record: ['/me'] });
    const { code } = await run(['record', 'concordat.config.json', '--url', spell(baseUrl)], { cwd, env });
    expect(code).toBe(0);
    const text = readFileSync(path.join(cwd, 'recording.json'), 'utf8');
    expect(text).not.toContain(token);
    expect(JSON.parse(text).initialize).toEqual({ path: '/initialize', session: ['x-token'] });
  });

  it.each(['authorization', 'x-license-key', 'X-Session'])(
    'takes out the credentials in a `%s` of a request',
    async (name) => {
      const { code, recording } = await record(
        {},
        { record: [{ path: '/me', headers: { [name]: 'Basic YTpnZWhlaW0=' } }] },
      );
      expect(code).toBe(0);
      expect(recording?.exchanges[2]?.request.headers?.[name]).toMatch(/^(?:Basic )?\[redacted\]$/);
    },
  );

  it('masks what has the name of a secret, and says where on stderr', async () => {
    const me = {
      user: { api_key: 'abcdefg', cookie: 4711471 },
      tokens: [{ a: 471147 }, 'abcdefg', 'abcdefg'],
      next: '/me?page=2&access_token=abcdefg',
      quoted: '{"password":"abcdefg"}',
      none: { token: '', maxTokens: 4096, password: null, isSecret: true },
    };
    const { code, err, recording } = await record({ me }, { record: ['/me'] });
    expect(code).toBe(0);
    expect(recording?.exchanges[2]?.response.json).toEqual({
      user: { api_key: '[redacted]', cookie: 0 },
      tokens: [{ a: 0 }, '[redacted]', '[redacted]'],
      next: '/me?page=2&access_token=[redacted]',
      quoted: '{"password":"[redacted]"}',
      none: me.none,
    });
    expect(err).toBe(`3 responses recorded, see recording.json
Masked for their names; --keep NAME keeps what is no secret:
  GET /me: response.json.user.api_key
  GET /me: response.json.user.cookie
  GET /me: response.json.tokens
  GET /me: response.json.next ("access_token")
  GET /me: response.json.quoted.password
`);
  });

  it('masks headers of responses that are secret by name or in the session, and the renewed session wherever it is', async () => {
    const headers = {
      'x-token': 'renewed-1',
      authorization: 'Basic YTpi',
      'x-csrf-token': 'abcdefg',
      'x-session-count': '3',
    };
    const { code, err, recording } = await record({ me: { now: 'renewed-1' }, headers }, { record: ['/me'] }, [
      '--keep',
      'x-csrf-token',
      '--keep',
      'x-token',
    ]);
    expect(code).toBe(0);
    expect(recording?.exchanges[2]?.response).toMatchObject({
      headers: { ...headers, 'x-token': '[redacted]', authorization: '[redacted]' },
      json: { now: '[redacted]' },
    });
    expect(err).toContain('keeps what is no secret:\n  GET /me: response.headers.authorization\n');
  });

  it.each([
    ['a secret as the name of a member', { a: { [token]: 1 } }, 'GET /me: response.json.a, a name'],
    ['a JWT', { x: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjMifQ.c2ln' }, 'GET /me: response.json.x'],
    ['a token of GitHub', { x: `ghp_${'a'.repeat(36)}` }, 'GET /me: response.json.x'],
    ['credentials of HTTP', { x: 'curl -H "Authorization: Bearer geheim-4711"' }, 'GET /me: response.json.x'],
    ['a signature of Azure', { x: `/blob?sv=2&sig=geheim${'A'.repeat(38)}%3D` }, 'GET /me: response.json.x'],
    ['a password in a URL', { x: 'postgres://ada:geheim@db/x' }, 'GET /me: response.json.x'],
  ])('writes nothing where %s is left, and names the place', async (_name, me, place) => {
    const { code, err, text } = await record({ me }, { record: ['/me'] });
    expect([code, text]).toEqual([2, undefined]);
    expect(err).toContain(`Nothing was written: a secret may be left at\n  ${place}\n`);
    for (const secret of [token, 'geheim', 'eyJ', 'ghp_']) expect(err).not.toContain(secret);
  });

  it('keeps what only begins like credentials', async () => {
    const me = {
      words: 'Basic authentication and Bearer resource_metadata="https://login.test"',
      basic: 'Basic 2024',
      link: '/x?sig=short',
    };
    const { recording } = await record({ me }, { record: ['/me'] });
    expect(recording?.exchanges[2]?.response.json).toEqual(me);
  });

  it.each([
    ['ASCII', `the token is ${token}`],
    ['other letters', `für ${token}`],
  ])('writes nothing where a secret is left in a text of UTF-16, with %s', async (_name, text) => {
    const { code, err } = await record({ text: Buffer.from(text, 'utf16le') }, { record: ['/text'] });
    expect(code).toBe(2);
    expect(err).toContain('a secret may be left at\n  GET /text: response.');
  });

  it('keeps a text byte for byte', async () => {
    const text = Buffer.from('\ufeffname;größe\r\n');
    const { recording } = await record({ text }, { record: ['/text'] });
    const simulated = simulateConnector({ recording: recording as Recording, session: false });
    const replayed = await simulated.fetch('http://c.test/text');
    expect(Buffer.from(await replayed.arrayBuffer())).toEqual(text);
  });

  it('keeps JSON with numbers that JSON.parse would round as it came, and compares it', async () => {
    const text = '{ "id": 12345678901234567890, "price": 1.50 }\n';
    const raw = { text: Buffer.from(text), textType: 'application/json' };
    const { recording, cwd } = await record(raw, { record: ['/text'] });
    const simulated = simulateConnector({ recording: recording as Recording, session: false });
    expect(await (await simulated.fetch('http://c.test/text')).text()).toBe(text);
    const { baseUrl } = await connector({ ...raw, text: Buffer.from('{ "id": "12345678901234567890" }') });
    const { out } = await run(['check', baseUrl, '--against', 'recording.json'], { cwd, env });
    expect(out).toContain('id was number, and is string');
    expect(out).toContain('price is gone');
    const exact = await record(
      { ...raw, text: Buffer.from('{ "id": 9007199254740991, "price": 1.50 }') },
      { record: ['/text'] },
    );
    expect(exact.recording?.exchanges[2]?.response.json).toEqual({ id: 9007199254740991, price: 1.5 });
  });

  it.each([
    ['bytes', Buffer.from([0x89, 0x50, 0x00, 0xff]), 'image/png'],
    ['JSON', Buffer.from('{ "id": 12345678901234567890 }\n'), 'application/json'],
  ])(
    'keeps the file of the probes byte for byte, and a check of the replay finds it whole: %s',
    async (_name, bytes, type) => {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const probed = { probes: { ...probes, file: { request: '/file', sha256, contentType: type } } };
      const { code, err, recording } = await record({ file: { bytes, type } }, probed);
      expect([code, err]).toEqual([0, '3 responses recorded, see recording.json\n']);
      const server = await simulateConnector({ recording: recording as Recording }).listen();
      onTestFinished(() => server.close());
      const { out } = await run(['check', server.url], { cwd: folderWith(probed), env });
      for (const name of ['whole', 'bytes', 'content-type', 'range', 'session']) {
        expect(out).toMatch(new RegExp(`✓ .*files\\.${name}\\)`));
      }
    },
  );

  it('leaves out a file that is too large, and says so', async () => {
    const file = { bytes: Buffer.alloc(1024 * 1024 + 1), type: 'image/png' };
    const { code, err, recording } = await record({ file }, { probes: { ...probes, file: { request: '/file' } } });
    expect([code, recording?.exchanges.length]).toEqual([0, 2]);
    expect(err).toContain('GET /file is not in the recording: the file has more than 1048576 bytes.');
  });

  it('takes a parameter of a link that was declared to be no secret', async () => {
    const me = { next: '/me?page=2&page_token=abcdefg' };
    const { code, recording } = await record({ me }, { record: ['/me'] }, ['--keep', 'page_token']);
    expect(code).toBe(0);
    expect(recording?.exchanges[2]?.response.json).toEqual(me);
  });

  it('a member can be taken out, or declared to be no secret', async () => {
    const me = { nextPageToken: 'page-two', name: 'abcdefg' };
    const args = ['--keep', 'nextPageToken', '--mask', 'name'];
    const { code, recording } = await record({ me }, { record: ['/me'] }, args);
    expect(code).toBe(0);
    expect(recording?.exchanges[2]?.response.json).toEqual({ nextPageToken: 'page-two', name: '[redacted]' });
  });

  it('masks texts and numbers of a member, whatever it holds, and nothing of the recording itself', async () => {
    const people = {
      people: [{ id: 1, mail: 'a@b.test', phones: [4711], home: { zip: 12345, own: true } }],
      path: '/x',
    };
    const masks = ['mail', 'phones', 'home', 'path', 'status', 'version'].flatMap((name) => ['--mask', name]);
    const { code, recording } = await record({ me: people }, { record: ['/me'] }, masks);
    expect(code).toBe(0);
    const masked = [{ id: 1, mail: '[redacted]', phones: [0], home: { zip: 0, own: true } }];
    expect(recording?.exchanges[2]).toMatchObject({ request: { path: '/me' }, response: { status: 200 } });
    expect(recording?.exchanges[2]?.response.json).toEqual({ people: masked, path: '[redacted]' });
    const simulated = simulateConnector({ recording: recording as Recording, session: false });
    const replayed = await simulated.fetch('http://c.test/me');
    expect(await replayed.json()).toMatchObject({ people: masked });
  });

  it('masks a body that is not JSON by `text`', async () => {
    const { recording } = await record({ text: Buffer.from('ada,4711') }, { record: ['/text'] }, ['--mask', 'text']);
    expect(recording?.exchanges[2]?.response).toMatchObject({ text: '[redacted]' });
  });

  it('masks the members of a body of text that is JSON', async () => {
    const text = '{"password":"hunter2"}\n{"id":7}\n';
    const { recording } = await record({ text: Buffer.from(text) }, { record: ['/text'] });
    expect(recording?.exchanges[2]?.response).toMatchObject({ text: '{"password":"[redacted]"}\n{"id":7}\n' });
  });

  it('sends what may write only if the config allows it', async () => {
    const more = { record: [{ method: 'POST', path: '/issues', json: { title: 'b' } }] };
    const careful = await record({}, more);
    expect([careful.code, careful.posts, careful.recording?.exchanges.length]).toEqual([0, [], 2]);
    expect(careful.err).toContain('1 of 3 requests skipped, as they may write: set `allowWrites` in the config.');
    const { posts, recording, err } = await record({}, { ...more, allowWrites: true });
    expect(posts).toEqual(['{"title":"b"}']);
    expect(recording?.exchanges[2]).toMatchObject({ request: { json: { title: 'b' } }, response: { status: 201 } });
    expect(err).toBe('3 responses recorded, see recording.json\n');
  });

  it.each([
    ['nothing listens', { baseUrl: 'http://127.0.0.1:1' }, 'GET /issues could not be recorded: '],
    ['logging in fails', { probes: { ...probes, initialize: { parameters: { user: 'a', password: 'no' } } } }, '401'],
    [
      'the login itself is to be recorded',
      {
        allowWrites: true,
        record: [{ method: 'POST', path: '/initialize', json: { user: 'a', password } }],
      },
      'POST /initialize could not be recorded: it logs in',
    ],
    ['the config is wrong', { probes: { ...probes, readable: 7 } }, '`probes.readable`'],
    ['there is nothing to record', { probes: {} }, 'has neither probes nor `record`: nothing to record'],
    [
      'all requests may write',
      { probes: {}, record: [{ method: 'POST', path: '/issues' }, 'DELETE /issues/7'] },
      'Nothing to record: 2 of 2 requests skipped, as they may write: set `allowWrites` in the config.',
    ],
  ])('exits 2 and writes nothing when %s', async (_name, config, message) => {
    const { code, err, text } = await record({}, config);
    expect([code, text]).toEqual([2, undefined]);
    expect(err).toContain(message);
  });
});

describe('concordat check --against', () => {
  const driftOf = async (before: object, after: object, more: object = { record: ['/me'] }, args: string[] = []) => {
    const { text } = await record(before, more, args);
    const { baseUrl } = await connector(after);
    const cwd = folderWith({ probes, ...more });
    writeFileSync(path.join(cwd, 'recording.json'), text as string);
    return run(['check', baseUrl, '--against', 'recording.json'], { cwd, env });
  };

  it('finds nothing where only values and new members differ (control)', async () => {
    const { code, out } = await driftOf(
      { me: { name: 'Ada', issues: [{ id: 1 }], manager: null } },
      { me: { name: 'Eve', issues: [], manager: { id: 7 }, added: 1 } },
    );
    expect(out).toContain('✓ GET /me (as recorded, recording.3)');
    expect(out).toContain('All that was checked keeps the contract.');
    expect(code).toBe(0);
  });

  it('finds nothing where members were masked', async () => {
    const me = { mail: 'a@b.test', phones: [4711], home: { zip: 12345 } };
    const args = ['mail', 'phones', 'home'].flatMap((name) => ['--mask', name]);
    const { code } = await driftOf({ me }, { me }, undefined, args);
    expect(code).toBe(0);
  });

  it('names members that are gone or of another type, and exits 1', async () => {
    const { code, out } = await driftOf(
      { me: { name: 'Ada', deep: [{ id: 1, at: 'noon' }] } },
      { me: { deep: [{ id: '1', at: null }] } },
    );
    expect(out).toContain('✗ GET /me (as recorded, recording.3)');
    expect(out).toContain('name is gone');
    expect(out).toContain('deep[].id was number, and is string');
    expect(out).not.toContain('deep[].at');
    expect(out).toContain('The connector is no longer what was recorded.');
    expect(code).toBe(1);
  });

  it('names another status, and sends nothing that may write', async () => {
    const more = { record: [{ method: 'POST', path: '/issues', json: {} }, '/me'], allowWrites: true };
    const { text } = await record({}, more);
    const { baseUrl, posts } = await connector();
    const changed = (text as string).replace('"status": 404', '"status": 410');
    const cwd = folderWith({ probes });
    writeFileSync(path.join(cwd, 'recording.json'), changed);
    const { code, out } = await run(['check', baseUrl, '--against', 'recording.json'], { cwd, env });
    expect(out).toContain('the status was 410, and is 404');
    expect(out).toMatch(/○ POST \/issues .*\n.*needs `allowWrites`/);
    expect([code, posts]).toEqual([1, []]);
  });

  it('does not send a request whose secret was masked, and says so', async () => {
    const more = {
      record: [
        { method: 'POST', path: '/issues', json: { password: 'abcdefg' } },
        { method: 'POST', path: '/issues', body: 'a=1&password=abcdefg' },
        { path: '/me', headers: { 'x-api-key': 'abcdefg' } },
        '/me?api_key=abcdefg',
        '/me',
      ],
      allowWrites: true,
    };
    const { text, baseUrl, posts, cwd } = await record({}, more);
    const sent = [...posts];
    const { code, out } = await run(['check', baseUrl, '--against', 'recording.json'], { cwd, env });
    expect(text).not.toContain('abcdefg');
    expect([sent, posts.slice(sent.length)]).toEqual([['{"password":"abcdefg"}', 'a=1&password=abcdefg'], []]);
    expect(out.match(/it had a secret, which the recording does not have/g)).toHaveLength(4);
    expect(out).toContain('✓ GET /me (as recorded, recording.7)');
    expect(code).toBe(0);
  });

  it('exits 2 without a recording, and for a file that is none', async () => {
    const cwd = folderWith({ baseUrl: 'http://127.0.0.1:1', version: 1 });
    const { baseUrl } = await connector();
    for (const [file, message] of [
      ['none.json', 'does not exist'],
      ['concordat.config.json', 'is not a recording: `recording.'],
    ] as const) {
      writeFileSync(path.join(cwd, 'empty.json'), '{}');
      const { code, err } = await run(['check', baseUrl, '-c', 'empty.json', '--against', file], { cwd, env });
      expect([code, err]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});
