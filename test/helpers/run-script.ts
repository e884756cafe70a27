import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { compiled } from './compiled.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a module, which may import from src, in a process of its own. @returns what it printed. @throws if it fails. */
export async function runScript(source: string, ...parameters: string[]): Promise<string> {
  const program = await compiled({ source });
  return (await promisify(execFile)(process.execPath, [program, ...parameters], { cwd: root })).stdout;
}
