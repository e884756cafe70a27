import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeBundle } from './mutants/bundle-client.js';
import { mutants } from './mutants/mutants.js';

/** Runs scripts/simulate.ts, as `npm run simulate` does. */
function simulate(...args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', 'scripts/simulate.ts', ...args],
      { env: { ...process.env, NO_COLOR: '1' } },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

/** Inside the project, so that a module there finds its packages. */
async function scratchDirectory(): Promise<string> {
  const directory = await mkdtemp(join('node_modules', '.simulation-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return directory;
}

describe('npm run simulate', () => {
  it('says how many schedules it ran, from which seed, and that every rule holds', async () => {
    const { code, output } = await simulate('--runs', '40', '--seed', '7', '--jobs', '2');
    expect(output).toContain('40 schedules, seed 7');
    expect(output).toContain('every rule holds (seed 7)');
    expect(code).toBe(0);
  }, 60_000);

  it('a broken rule ends it with code 1, the rule, the seed and a schedule that shows it again', async () => {
    const directory = await scratchDirectory();
    const client = join(directory, 'client.mjs');
    const { patches } = mutants.find(({ wrong }) => wrong === 'a POST is retried after a failure')!;
    await writeBundle(patches, client);
    const long = await simulate(
      '--runs',
      '1000',
      '--seed',
      '1',
      '--jobs',
      '1',
      '--theme',
      'faults',
      '--client',
      client,
    );
    expect(long.code).toBe(1);
    expect(long.output).toMatch(/A rule is broken \(theme faults, seed -?\d+, schedule \d+/);
    expect(long.output).toContain('G7: a call that is not idempotent');
    const schedule = join(directory, 'schedule.json');
    await writeFile(schedule, long.output.split('\n').find((line) => line.startsWith('{"random"'))!);
    const again = await simulate('--schedule', schedule, '--client', client);
    expect(again.code).toBe(1);
    expect(again.output).toContain('G7: a call that is not idempotent');
    // Control: the same schedule with the client as it is.
    const control = await simulate('--schedule', schedule);
    expect(control.output).toContain('Every rule holds.');
    expect(control.code).toBe(0);
  }, 120_000);

  it('refuses a number of runs that is none', async () => {
    const { code, output } = await simulate('--runs', 'many');
    expect(output).toContain('whole number');
    expect(code).toBe(1);
  }, 60_000);
});
