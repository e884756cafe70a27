import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');

/** Runs an example as its reader does, and gives back what it printed. It has to end by itself. */
async function run(name: string): Promise<string> {
  const file = path.join(root, 'examples/observability', `${name}.ts`);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', file], {
    cwd: root,
    timeout: 55_000,
    env: { ...process.env, NO_COLOR: '1' },
  });
  expect(stderr).toBe('');
  expect(stdout).not.toContain('correct horse');
  return stdout;
}

describe('the examples of observability run and end by themselves (G6)', () => {
  it('events', async () => {
    const printed = await run('events');
    for (const line of [
      'initialize  session 1, first',
      'initialize  session 2, expired',
      'retry       GET /issues/3, number 1: GET /issues/3: 503',
      'pause       1.0 s, says the header',
      'resume      after ',
      'error       GET /no-such-page: NotFoundError',
      'logins: 2',
    ]) {
      expect(printed).toContain(line);
    }
  });

  it('diagnostics-channel', async () => {
    const printed = await run('diagnostics-channel');
    expect(printed.match(/^GET \/issues\/\d: 200, \d requests, \d+ ms$/gm)).toHaveLength(6);
    expect(printed).toMatch(/^127\.0\.0\.1 is paused for 1000 ms$/m);
    expect(printed).toMatch(/^GET \/no-such-page: NotFoundError/m);
  });

  it('opentelemetry', async () => {
    const printed = await run('opentelemetry');
    expect(printed.match(/^ {4}GET \/issues\/\{id\} 200 .*attempt/gm)).toHaveLength(6);
    expect(printed).toMatch(/login, attempt$/m);
    expect(printed).toMatch(/attempt, retry, attempt/);
    expect(printed).toMatch(/attempt, pause, attempt/);
    expect(printed).toMatch(/^ {2}synchronize issues$/m);
    for (const metric of ['requests', 'pauses', 'paused_time', 'logins', 'retries', 'call.duration']) {
      expect(printed).toMatch(new RegExp(`^ {2}concordat\\.client\\.${metric} \\d*\\.?\\d*[1-9]`, 'm'));
    }
    expect(printed).toMatch(/^ {2}http\.client\.request\.duration \d+$/m);
  });
});
