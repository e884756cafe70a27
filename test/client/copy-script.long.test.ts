import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('npm run copy: what arrives is what was sent, through limits, ended sessions and a broken connection (D2)', async () => {
  const run = promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/copy.ts', '--megabytes', '24']);
  // How much memory it took depends on the machine, and makes its code.
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  expect(stdout).toContain('24 MiB in ');
  expect(stdout).toContain('SHA-256 equal');
  expect(stdout).toContain('5 requests, 2 logins; 3 requests, 2 logins');
}, 120_000);
