import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { goodPassword, modelConnector } from '../conformance/helpers/model-connector.js';
import { removeBuiltCli, spawnCli } from './helpers/spawn.js';

/** A proxy for tunnels and for whole addresses; it keeps which hosts it was asked for. */
async function startProxy() {
  const asked: string[] = [];
  const proxy = createServer((request, response) => {
    const { host, pathname, search } = new URL(request.url ?? '');
    asked.push(host);
    const { method, headers } = request;
    const onward = forward({ host: '127.0.0.1', port: host.split(':')[1], method, path: pathname + search, headers });
    onward.on('response', (answer) => answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers)));
    request.pipe(onward);
  });
  proxy.on('connect', (request, socket, head) => {
    asked.push(String(request.url));
    const onward = connect(Number(String(request.url).split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void proxy.close());
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

function folderWithConfig(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-proxy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const parameters = { user: 'alice', password: 'env:PASSWORD' };
  const config = { probes: { initialize: { parameters }, readable: '/issues' } };
  writeFileSync(path.join(folder, 'concordat.config.json'), JSON.stringify(config));
  return folder;
}

const commands: [string, (url: string) => string[]][] = [
  ['check', (url) => ['check', url]],
  [
    'call',
    (url) => ['call', url, 'GET', '/issues', '--retries', '0', '-i', 'user=alice', '-i', 'password=env:PASSWORD'],
  ],
  ['record', (url) => ['record', 'concordat.config.json', '--url', url, '--keep', 'token']],
];

afterAll(removeBuiltCli);

describe.each(commands)('concordat %s and a proxy', (_name, argsFor) => {
  it('goes through it to a host that it alone knows', async () => {
    const [{ baseUrl }, proxy] = [await modelConnector(), await startProxy()];
    const host = `connector.invalid:${new URL(baseUrl).port}`;
    const env = { PASSWORD: goodPassword, HTTP_PROXY: proxy.url };
    const { code, stderr } = await spawnCli(argsFor(`http://${host}`), { cwd: folderWithConfig(), env });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('    at ')]);
    expect(new Set(proxy.asked)).toEqual(new Set([host]));
  });

  it('does not ask it for a connector on this machine, nor for the hosts of NO_PROXY', async () => {
    const [{ baseUrl }, proxy] = [await modelConnector(), await startProxy()];
    const env = { PASSWORD: goodPassword, HTTP_PROXY: proxy.url, NO_PROXY: '.invalid' };
    const run = (url: string) => spawnCli(argsFor(url), { cwd: folderWithConfig(), env });
    expect((await run(baseUrl)).code).toBe(0);
    expect((await run('http://connector.invalid')).code).toBe(2);
    expect(proxy.asked).toEqual([]);
  });

  it('says which variable is wrong', async () => {
    const env = { PASSWORD: goodPassword, HTTP_PROXY: 'proxy.example:3128' };
    const { code, stderr } = await spawnCli(argsFor('http://127.0.0.1:2'), { cwd: folderWithConfig(), env });
    expect(stderr).toBe('HTTP_PROXY and HTTPS_PROXY must be URLs, such as http://proxy.example:3128.\n');
    expect(code).toBe(2);
  });
});
