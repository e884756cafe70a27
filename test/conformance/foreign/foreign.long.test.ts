import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../../cli/helpers/run.js';

const folder = import.meta.dirname;
const config = path.join(folder, 'concordat.config.json');
const password = 'canary-foreign-password';

/** Starts a connector in a process of its own and resolves to the address that it prints. */
async function start(program: string, file: string): Promise<string> {
  const child = spawn(program, [path.join(folder, file)], {
    env: { ...process.env, FOREIGN_PASSWORD: password, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return url;
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a connector written without this package passes `concordat check`', () => {
  it('in plain node:http', async () => {
    const url = await start(process.execPath, 'node-connector.mjs');
    const { code, out } = await run(['check', url, '--config', config], { env: { FOREIGN_PASSWORD: password } });
    expect(out).toMatch(/^\d+ passed in \d+ ms\nThe connector keeps the contract\.\n$/m);
    expect(out).not.toContain(password);
    expect(code).toBe(0);
  });

  it('in the Python standard library', async () => {
    if (!hasPython()) throw new Error('python3 is not on the PATH: install it to run this test.');
    const url = await start('python3', 'python_connector.py');
    const { code, out } = await run(['check', url, '--config', config], { env: { FOREIGN_PASSWORD: password } });
    expect(out).toMatch(/^\d+ passed in \d+ ms\nThe connector keeps the contract\.\n$/m);
    expect(code).toBe(0);
  });

  it('and does not pass with another password (control)', async () => {
    const url = await start(process.execPath, 'node-connector.mjs');
    const { code, out } = await run(['check', url, '--config', config], { env: { FOREIGN_PASSWORD: 'canary-other' } });
    expect(out).toContain('? initialize logs in with valid parameters (S1, session.initialize)');
    expect(out).not.toContain('canary-other');
    expect(code).toBe(2);
  });
});
