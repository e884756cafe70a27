import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a module, which may import from src, in a process of its own. @returns what it printed. @throws if it fails. */
export async function runScript(script: string): Promise<string> {
  const parameters = ['--import', 'tsx', '--input-type=module', '--eval', script];
  return (await promisify(execFile)(process.execPath, parameters, { cwd: root })).stdout;
}
