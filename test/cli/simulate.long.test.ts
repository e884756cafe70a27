import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { run } from './helpers/run.js';
import { removeBuiltCli, spawnCli, startCli } from './helpers/spawn.js';

/** Starts `concordat simulate` in a process of its own, and reads what it prints line by line. */
async function simulate(...args: string[]) {
  const child = await startCli(['simulate', '--port', '0', ...args]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error('The simulator has ended.');
    return value as string;
  };
  const [, url = ''] = /^The simulated connector listens on (\S+)$/.exec(await next()) ?? [];
  await next();
  return { child, url, next };
}

async function logIn(url: string): Promise<Record<string, string>> {
  const response = await fetch(`${url}/initialize`, { method: 'POST', body: '[]' });
  const session = (await response.json()) as { key: string; value: string }[];
  return Object.fromEntries(session.map(({ key, value }) => [key, value]));
}

afterAll(removeBuiltCli);

describe('concordat simulate', () => {
  it('answers a client, and shows each request as it happens', async () => {
    const { child, url, next } = await simulate();
    const { code, out } = await run(['call', url, 'GET', '/items?limit=2']);
    expect(JSON.parse(out).items).toHaveLength(2);
    expect(code).toBe(0);
    expect(await next()).toMatch(/^\d\d:\d\d:\d\d\.\d{3} {2}200 {2}POST {3}\/initialize {2}session 1$/);
    expect(await next()).toMatch(/ {2}200 {2}GET {4}\/items\?limit=2 {2}session 1$/);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('limits as it is told (W1, W4)', async () => {
    const { url, next } = await simulate('--limit', '2/1m', '--header', 'x-wait', '--format', 'milliseconds');
    const wait = ['--rate-limit-header', 'x-wait', '--rate-limit-format', 'milliseconds', '--max-wait', '1s'];
    expect((await run(['call', url, 'GET', '/items/1', ...wait])).code).toBe(0);
    expect((await run(['call', url, 'GET', '/items/1', ...wait])).code).toBe(0);
    const { code, err } = await run(['call', url, 'GET', '/items/1', ...wait]);
    expect(err).toContain('403 RATE_LIMITED');
    expect(code).toBe(1);
    let line = '';
    while (!line.includes('  403  ')) line = await next();
    expect(line).toMatch(/ {2}403 {2}GET {4}\/items\/1 {2}session 3, rate-limit, wait \d+ ms$/);
  });

  it('announces its limit as it is told (W8)', async () => {
    const { url } = await simulate('--limit', '2/1m', '--announce', 'both');
    const { headers } = await fetch(`${url}/initialize`, { method: 'POST', body: '[]' });
    expect([headers.get('ratelimit-policy'), headers.get('ratelimit')]).toEqual([
      '"default";q=2;w=60',
      '"default";r=2',
    ]);
    const { code, err } = await run(['simulate', '--announce', 'policy']);
    expect([code, err]).toEqual([2, expect.stringContaining('need --limit, too')]);
  });

  it('ends sessions as it is told', async () => {
    const { url, next } = await simulate('--session-requests', '1');
    const session = await logIn(url);
    expect((await fetch(`${url}/items/1`, { headers: session })).status).toBe(200);
    expect((await fetch(`${url}/items/1`, { headers: session })).status).toBe(401);
    for (let line = 1; line < 3; line++) await next();
    expect(await next()).toMatch(/ {2}401 {2}GET {4}\/items\/1 {2}session 1, session-ended$/);
  });

  it('fails as it is told', async () => {
    const { url, next } = await simulate('--faults', '503@2,slow=1ms@3');
    const session = await logIn(url);
    const statuses: number[] = [];
    for (let call = 0; call < 3; call++) statuses.push((await fetch(`${url}/items/1`, { headers: session })).status);
    expect(statuses).toEqual([200, 503, 200]);
    for (let line = 1; line < 3; line++) await next();
    expect(await next()).toMatch(/ {2}503 {2}GET {4}\/items\/1 {2}session 1, fault: status$/);
    expect(await next()).toMatch(/ {2}200 {2}GET {4}\/items\/1 {2}session 1, fault: slow$/);
  });

  it('passes `concordat check`', async () => {
    const { url } = await simulate('--limit', '30/4s', '--credentials', 'user=alice');
    const { code, out } = await run([
      'check',
      url,
      '-i',
      'user=alice',
      '--read',
      '/items/1',
      '--unknown',
      '/items/0',
      '--limit',
      '/items/1',
    ]);
    expect(out).toContain('✓ Requests are served again after the wait');
    expect(out).toContain('All that was checked keeps the contract.');
    expect(code).toBe(0);
  });

  it('says that its port is taken', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const { code, err } = await run(['simulate', '--port', String(port)]);
    expect(err).toBe(`Port ${port} is taken. Choose another with --port, or --port 0 for a free one.\n`);
    expect(code).toBe(2);
  });

  it.each([
    [['--limit', '100'], 'Write it as REQUESTS/TIME'],
    [['--limit', '0/1s'], 'Write it as REQUESTS/TIME'],
    [['--session', '30'], 'Write it with a unit'],
    [['--faults', 'boom'], '"boom" is not a fault'],
    [['--faults', 'reset=3'], '"reset=3" is not a fault'],
    [['--port', '70000'], 'A port is at most 65535'],
    [['--items', '4294967296'], 'Give at most 1000000.'],
    [['--window', 'sliding'], 'need --limit, too'],
    [['--credentials', 'password=canary'], 'Write password=env:PASSWORD'],
  ])('%j exits 2 and says what to do', async (args, message) => {
    const { code, err } = await run(['simulate', ...args]);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });
});

describe('the bin', () => {
  it('knows its version, and runs without any other tool', async () => {
    expect(await spawnCli(['--version'])).toEqual({ stdout: '9.8.7\n', stderr: '', code: 0 });
  });

  it('exits 2 without a command, and shows the help', async () => {
    const { stderr, code } = await spawnCli([]);
    expect(stderr).toContain('Usage: concordat');
    expect(code).toBe(2);
  });
});
