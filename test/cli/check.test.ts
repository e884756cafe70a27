import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { goodPassword, modelConnector } from '../conformance/helpers/model-connector.js';
import { certificate } from '../connector/support/certificate.js';
import { run } from './helpers/run.js';
import { removeBuiltCli, spawnCli, spawnOntoFullDisk, startCli } from './helpers/spawn.js';

const login = ['-i', 'user=alice', '-i', 'password=env:PASSWORD'];
const env = { PASSWORD: goodPassword };

const notFound = JSON.stringify({ errors: { code: 'NOT_FOUND', message: 'There is no such route' } });

function temporaryFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

const config = {
  probes: {
    initialize: { parameters: [{ key: 'password', value: 'env:PASSWORD', sensitive: false }] },
    readable: '/issues',
    unknown: '/issues/999',
  },
};

afterAll(removeBuiltCli);

describe('concordat check', () => {
  it('exits 0 for a connector that keeps the contract', async () => {
    const { baseUrl } = await modelConnector();
    const { code, out, err } = await run(['check', baseUrl, ...login, '--read', '/issues'], { env });
    expect(out).toContain('✓ A request without a session gets a 401 (E2, session.missing)');
    expect(out).toContain('All that was checked keeps the contract.');
    expect([code, err]).toEqual([0, '']);
  });

  it('exits 1 for one that breaks it', async () => {
    const { baseUrl } = await modelConnector({ missingSession: () => undefined });
    const { code, out } = await run(['check', baseUrl, ...login, '--read', '/issues'], { env });
    expect(out).toContain('✗ A request without a session gets a 401 (E2, session.missing)');
    expect(code).toBe(1);
  });

  it('exits 2 where something that applies could not be judged, and says what', async () => {
    const { baseUrl } = await modelConnector({ cleanupStatus: 500 });
    const { cleanup, ...others } = { ...config.probes, cleanup: {} };
    const file = (knownFailures: object) =>
      temporaryFolder({ 'concordat.config.json': JSON.stringify({ probes: { ...others, cleanup }, knownFailures }) });
    const known = { 'cleanup.answers': 'ticket 7' };
    const { code, out } = await run(['check', baseUrl], { cwd: file(known), env });
    expect(out).toContain('could not be judged: cleanup.ends-session, cleanup.dead-session, cleanup.other-sessions.');
    expect(code).toBe(2);
    const written = await run(['check', baseUrl, '-o', 'report.txt'], { cwd: file(known), env });
    expect([written.code, written.err]).toEqual([2, '3 cases could not be judged, see report.txt\n']);
  });

  it.each([400, 401, 403])(
    'exits 2 where the login is refused with %i: the parameters may be wrong',
    async (status) => {
      const refused = { status, code: 'WRONG_PASSWORD', message: 'The password is wrong \u001b[2J' };
      const { baseUrl } = await modelConnector({ refuseLogin: () => refused });
      const mistyped = { PASSWORD: 'canary-mistyped' };
      const { code, out } = await run(['check', baseUrl, ...login, '--read', '/issues'], { env: mistyped });
      expect(out).toContain(`POST /initialize: ${status} WRONG_PASSWORD: The password is wrong`);
      expect(out).toContain('Are the parameters of the login right?');
      expect(out).not.toContain('\u001b[2J');
      expect(out).toContain('No verdict: these could not be judged: session.initialize, ');
      expect(out).not.toContain('canary-mistyped');
      expect(code).toBe(2);
    },
  );

  it.each([
    ['a 500', { refuseLogin: () => ({ status: 500, code: 'X', message: 'm' }) }],
    ['a refusal without the body of the contract', { writeError: () => 'Forbidden' }],
    ['a limit', { refuseLogin: () => ({ status: 403, code: 'X', message: 'm', headers: { 'retry-after': '0' } }) }],
  ])('exits 1 where the login gets %s', async (_what, changes) => {
    const { baseUrl } = await modelConnector(changes);
    const { code, out } = await run(['check', baseUrl, ...login], { env: { PASSWORD: 'canary-mistyped' } });
    expect(out).toContain('✗ initialize logs in with valid parameters');
    expect(code).toBe(1);
  });

  describe('--openapi', () => {
    const yaml =
      'openapi: 3.1.0\npaths:\n  /issues/{number}:\n    get:\n      parameters: [{ name: number, in: path, schema: { type: integer } }]\n';
    const check = async (document: string, options: object = {}) => {
      const { baseUrl } = await modelConnector({ unknownRoute: () => ({ status: 500, code: 'X', message: 'X' }) });
      const words = ['check', baseUrl, ...login, '--read', '/issues', '--openapi', document.replace('URL', baseUrl)];
      return run(words, { env, ...options });
    };

    it.each([
      ['a file in YAML', 'api.yaml', { 'api.yaml': yaml }],
      ['a file in JSON', './api.json', { 'api.json': JSON.stringify({ openapi: '3.0.3', paths: parse(yaml).paths }) }],
    ])('takes %s, and shows the request that it derived', async (_what, document, files) => {
      const { code, out } = await check(document, { cwd: temporaryFolder(files) });
      expect(out).toContain('GET /issues/concordat-no-such-value: 500; `number` in the path is');
      expect(out).toContain('> GET /issues/concordat-no-such-value');
      expect(code).toBe(1);
    });

    it.each([
      ['a URL', 'URL/openapi.json'],
      ['a path of the connector', '/openapi.json'],
    ])('takes %s', async (_what, document) => {
      const { out } = await check(document);
      expect(out).toContain('✓ The OpenAPI document can be read (E2, openapi.document)');
    });

    it.each([
      ['api.json', 'The OpenAPI document api.json does not exist.'],
      ['URL/missing', '/missing cannot be read: the response is a 500'],
      ['broken.json', 'The OpenAPI document broken.json cannot be read: '],
      ['text.yaml', 'The OpenAPI document text.yaml is not an object in JSON or YAML.'],
    ])('%s: exits 2 and says why', async (document, message) => {
      const cwd = temporaryFolder({ 'broken.json': '{"openapi": ', 'text.yaml': 'text' });
      const { code, err } = await check(document, { cwd });
      expect(err).toContain(message);
      expect(code).toBe(2);
    });
  });

  it('judges a connector with a route that hangs: it is not that nothing responds', async () => {
    const server = createServer((request, response) => {
      if (request.url !== '/') response.writeHead(404, { 'content-type': 'application/json' }).end(notFound);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close().closeAllConnections());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, out } = await run(['check', url]);
    expect(out).toContain('✗ Broken JSON for initialize gets a 400');
    expect(code).toBe(1);
  });

  describe('says what is wrong with a certificate', () => {
    async function serveTls(): Promise<string> {
      const server = createTlsServer(certificate, (_request, response) => response.writeHead(404).end(notFound));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    }

    it('that nobody vouches for', async () => {
      const url = await serveTls();
      const { code, err } = await run(['check', url]);
      const problem =
        'is not trusted; trust it, or its authority, with NODE_EXTRA_CA_CERTS=certificate.pem in the environment';
      expect([code, err.trim()]).toEqual([2, `The certificate of ${url} ${problem} (DEPTH_ZERO_SELF_SIGNED_CERT).`]);
    });

    it('of another host', async () => {
      const before = getGlobalDispatcher();
      setGlobalDispatcher(new Agent({ connect: { ca: certificate.cert, servername: 'other.test' } }));
      onTestFinished(() => setGlobalDispatcher(before));
      const url = await serveTls();
      const { code, err } = await run(['check', url]);
      const problem = 'is for another host (ERR_TLS_CERT_ALTNAME_INVALID).';
      expect([code, err.trim()]).toEqual([2, `The certificate of ${url} ${problem}`]);
    });
  });

  it('checks what it can without any probes', async () => {
    const { baseUrl } = await modelConnector();
    const { code, out } = await run(['check', baseUrl]);
    expect(out).toContain('needs `probes.initialize.parameters`');
    expect(out).toContain('✓ Broken JSON for initialize gets a 400');
    expect(code).toBe(0);
  });

  it('needs no variable of the config for what a flag replaces, and names the config for another', async () => {
    const initialize = { parameters: { password: 'env:UNSET' } };
    const cwd = temporaryFolder({ 'concordat.config.json': JSON.stringify({ probes: { initialize } }) });
    const args = ['check', 'http://127.0.0.1:2'];
    const config =
      'The environment variable for "password" in `probes.initialize.parameters` of concordat.config.json is not set.';
    expect((await run(args, { cwd })).err).toContain(config);
    const replaced = await run([...args, ...login], { cwd, env });
    expect(replaced.err).toContain('Nothing responds at');
  });

  it.each([
    [
      ['check', 'http://127.0.0.1:2'],
      'Nothing responds at http://127.0.0.1:2 (ECONNREFUSED). Is the connector running?',
    ],
    [['check', '127.0.0.1:4000'], 'Give the whole URL, such as http://127.0.0.1:4000.'],
    [['check', 'http://a:canary@h'], 'Credentials do not belong in the URL'],
    [['check'], "missing required argument 'url'"],
    [['check', 'http://h', '--reporter', 'tap'], 'Allowed choices are pretty, json, junit'],
    [['check', 'http://h', '--timeout', '10'], 'Write it with a unit'],
    [['check', 'http://h', '--config', 'nowhere.json'], 'The config file nowhere.json does not exist'],
    // As the shell makes it of `env:$PASSWORD`.
    [['check', 'http://h', '-i', 'password=env:canary'], 'for "--initialize password=env:…" is not set. Write its'],
    [['check', 'http://h', '-o', 'no-such-folder/report.xml'], 'no-such-folder/report.xml cannot be written: ENOENT'],
    [['check', 'http://h', '-o', 'src'], 'src cannot be written: it is a folder'],
    [['check', 'http://h', '-i', 'password'], 'write KEY=VALUE'],
    [['check', 'http://h', '-i', 'x=prompt'], 'There is no terminal to ask for "x": write'],
    [['chekc'], '(Did you mean check?)'],
  ])('%j exits 2 and says what to do', async (args, message) => {
    const { code, out, err } = await run(args);
    expect(err).toContain(message);
    expect(err).not.toContain('canary');
    expect([code, out]).toEqual([2, '']);
  });

  it.each(['password', 'api_key', 'apiKey', 'accessToken', 'clientSecret', 'session', 'cookies'])(
    'refuses %s on the command line, and does not repeat it',
    async (key) => {
      const { code, err } = await run(['check', 'http://h', '-i', `${key}=canary-typed`]);
      expect(err).toContain(`Write ${key}=env:`);
      expect(err).not.toContain('canary-typed');
      expect(code).toBe(2);
    },
  );

  it('names a feature that there is not', async () => {
    const { baseUrl } = await modelConnector();
    const { code, err } = await run(['check', baseUrl, '--features', 'session,limits']);
    expect(err).toContain('`features[1]`');
    expect(code).toBe(2);
  });

  it('reads concordat.config.json of the folder, secrets from the environment', async () => {
    const { baseUrl } = await modelConnector();
    const cwd = temporaryFolder({ 'concordat.config.json': JSON.stringify(config) });
    const { code, out } = await run(['check', baseUrl, '--reporter', 'json'], { cwd, env });
    const report = JSON.parse(out);
    expect(report.results.find(({ id }: { id: string }) => id === 'routes.unknown-resource').status).toBe('passed');
    expect(out).not.toContain(goodPassword);
    expect(code).toBe(0);
  });

  it('says which option of the config is wrong before it asks the connector', async () => {
    const cwd = temporaryFolder({ 'concordat.config.json': '{"timeoutMs":"10s"}' });
    const { code, err } = await run(['check', 'http://127.0.0.1:2'], { cwd });
    expect(err).toContain('`timeoutMs` must be a number of milliseconds');
    expect(code).toBe(2);
  });

  it('takes the arguments rather than the config', async () => {
    const { baseUrl } = await modelConnector();
    const cwd = temporaryFolder({ 'concordat.config.json': JSON.stringify(config) });
    const { code, out } = await run(['check', baseUrl, '--unknown', '/issues'], { cwd, env });
    expect(out).toContain('GET /issues: 200; expected 404');
    expect(code).toBe(1);
  });

  it('writes a report to a file', async () => {
    const { baseUrl } = await modelConnector();
    const cwd = temporaryFolder();
    const { code, out, err } = await run(['check', baseUrl, '-r', 'junit', '-o', 'report.xml'], { cwd });
    expect(readFileSync(path.join(cwd, 'report.xml'), 'utf8')).toMatch(/^<\?xml /);
    expect([code, out, err]).toEqual([0, '', 'No violations found, see report.xml\n']);
  });

  it('colors on a terminal, and nowhere else', async () => {
    const { baseUrl } = await modelConnector();
    const colored = async (overrides: Parameters<typeof run>[1]) =>
      (await run(['check', baseUrl], overrides)).out.includes('\u001b[');
    expect(await colored({ tty: true })).toBe(true);
    expect(await colored({ tty: false })).toBe(false);
    expect(await colored({ tty: true, env: { NO_COLOR: '1' } })).toBe(false);
    expect(await colored({ tty: true, env: { TERM: 'dumb' } })).toBe(false);
  });

  it('shows help with examples', async () => {
    const { code, out } = await run(['help', 'check']);
    expect(out).toContain('$ concordat check http://127.0.0.1:4000');
    expect(out).toContain('Exit codes: 0 the connector keeps the contract');
    expect(code).toBe(0);
    expect((await run(['--version'])).out).toBe('1.2.3\n');
  });
});

describe('a signal ends the check (exit code 128 and its number)', () => {
  /** A connector whose login never responds, and tells when it is asked. */
  async function hanging(onLogin: () => void): Promise<string> {
    const server = createServer((request, response) => {
      if (request.url === '/initialize') onLogin();
      else response.writeHead(404, { 'content-type': 'application/json' }).end(notFound);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close().closeAllConnections());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const unhurried = ['--timeout', '1h', '-i', 'user=alice', '--read', '/issues'];

  it('at once, without a report', async () => {
    const stop = new AbortController();
    const url = await hanging(() => stop.abort(new Error('Ended by SIGINT.')));
    const { code, out, err } = await run(['check', url, ...unhurried], { signal: stop.signal });
    expect([code, out, err]).toEqual([130, '', '']);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s, although requests are under way', async (signal, code) => {
    let asked = () => {};
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const child = await startCli(['check', await hanging(asked), ...unhurried]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    await isAsked;
    child.kill(signal);
    expect(await ended).toEqual([code, null]);
  });
});

it('a reader that goes away early does not change the exit code', async () => {
  const { baseUrl } = await modelConnector({ missingSession: () => undefined });
  const child = await startCli(['check', baseUrl, ...login, '--read', '/issues'], { env });
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([1, null]);
});

it.skipIf(!existsSync('/dev/full')).each([
  ['check', ['URL', ...login, '--read', '/issues']],
  ['call', ['URL', 'GET', '/issues', ...login]],
  ['simulate', ['--port', '0']],
])('%s exits 2 if its output cannot be written: 1 would be a verdict', async (command, args) => {
  const { baseUrl } = await modelConnector();
  const words = args.map((word) => word.replace('URL', baseUrl));
  const { code, stderr } = await spawnOntoFullDisk([command, ...words], env);
  expect(stderr).toContain('The output cannot be written: ENOSPC');
  expect(stderr).not.toContain('    at ');
  expect(code).toBe(2);
});

describe('the config as a program', () => {
  const typescript = `const probes: { readable: string } = { readable: '/issues' };\nexport default { probes: { ...probes, initialize: { parameters: { password: 'env:PASSWORD' } } } };\n`;
  const javascript = typescript.replace(/: \{ readable: string \}/, '');
  const stripsTypes = 'typescript' in process.features && Boolean(process.features.typescript);

  it.each([
    ['concordat.config.mjs', javascript],
    ['concordat.config.js', javascript],
  ])('%s is read', async (name, text) => {
    const { baseUrl } = await modelConnector();
    const cwd = temporaryFolder({ [name]: text, 'package.json': '{"type":"module"}' });
    const { code, stdout } = await spawnCli(['check', baseUrl], { cwd, env });
    expect(stdout).toContain('✓ A request with a session succeeds');
    expect(code).toBe(0);
  });

  it('concordat.config.ts is read where Node strips types, or tsx is there', async () => {
    const { baseUrl } = await modelConnector();
    const cwd = temporaryFolder({ 'concordat.config.ts': typescript, 'package.json': '{"type":"module"}' });
    symlinkSync(path.resolve('node_modules'), path.join(cwd, 'node_modules'));
    const { code, stdout, stderr } = await spawnCli(['check', baseUrl], { cwd, env });
    expect(stderr).toBe('');
    expect(stdout).toContain('✓ A request with a session succeeds');
    expect(code).toBe(0);
  });

  it('concordat.config.ts without either: says what to do', async () => {
    const { baseUrl } = await modelConnector();
    const cwd = temporaryFolder({ 'concordat.config.ts': typescript, 'package.json': '{"type":"module"}' });
    const { code, stderr } = await spawnCli(['check', baseUrl], { cwd, env });
    if (stripsTypes) return void expect(code).toBe(0);
    expect(stderr).toContain('Install tsx (npm install --save-dev tsx)');
    expect(code).toBe(2);
  });

  it.each([
    ['throws', 'const probes = undefined;\n\nexport default probes.readable;', ':3:23'],
    ['throws in a call', 'const read = () => JSON.parse("{");\nexport default read();', ':1:25'],
    ['is not JavaScript', 'export default {\n  probes: {,\n};', ':2'],
    ['is not JavaScript either', 'export default {', ':1'],
  ])('a config that %s: says where', async (_what, text, place) => {
    const cwd = temporaryFolder({ 'my config.mjs': text });
    const { code, stderr } = await spawnCli(['check', 'http://h', '-c', 'my config.mjs'], { cwd });
    expect(stderr).toMatch(/^my config\.mjs cannot be read: .+\n$/);
    expect(stderr).toContain(`(my config.mjs${place})`);
    expect(code).toBe(2);
  });

  it('a config whose import throws: says what, and has no place of its own', async () => {
    const cwd = temporaryFolder({
      'a.mjs': "import './b.mjs';\nexport default {};",
      'b.mjs': "throw new Error('not today');",
    });
    const { code, stderr } = await spawnCli(['check', 'http://h', '-c', 'a.mjs'], { cwd });
    expect([code, stderr]).toEqual([2, 'a.mjs cannot be read: not today\n']);
  });

  it('a config that is not JSON: says why, and leaves the place to the reason', async () => {
    const cwd = temporaryFolder({ 'c.json': '{"a":' });
    const { code, err } = await run(['check', 'http://h', '-c', 'c.json'], { cwd });
    expect([code, err]).toEqual([2, 'c.json cannot be read: Unexpected end of JSON input\n']);
  });

  it('a config with a mistake: says which', async () => {
    const { baseUrl } = await modelConnector();
    const cwd = temporaryFolder({ 'concordat.config.mjs': 'export default { probes: { readabel: "/" } }' });
    const { code, stderr } = await spawnCli(['check', baseUrl], { cwd, env });
    expect(stderr).toContain('`probes.readabel` is not an option');
    expect(code).toBe(2);
  });
});
