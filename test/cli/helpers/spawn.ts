import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { build } from 'tsup';

const root = path.resolve(import.meta.dirname, '../../..');
let built: Promise<string> | undefined;
let folder: string | undefined;

/** For a test file's `afterAll`. */
export function removeBuiltCli(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  built = folder = undefined;
}

/** The command as it is published: JavaScript, run by nothing but Node. Built once for each test file. */
function builtCli(): Promise<string> {
  built ??= buildCli();
  return built;
}

async function buildCli(): Promise<string> {
  folder = mkdtempSync(path.join(tmpdir(), 'concordat-bin-'));
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module","version":"9.8.7"}');
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  await build({
    entry: { main: path.join(root, 'src/cli/main.ts') },
    outDir: path.join(folder, 'dist/cli'),
    format: ['esm'],
    target: 'node20',
    config: false,
    silent: true,
    skipNodeModulesBundle: true,
  });
  return path.join(folder, 'dist/cli/main.js');
}

export async function startCli(args: string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  const child = spawn(process.execPath, [await builtCli(), ...args], {
    cwd: options.cwd,
    env: { PATH: process.env.PATH, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return child;
}

/** Runs the command with an output that is full from the start. */
export async function spawnOntoFullDisk(args: string[], env: Record<string, string> = {}) {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [await builtCli(), ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', full, 'pipe'],
  });
  closeSync(full);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stderr, code] = await Promise.all([text(child.stderr as Readable), ended]);
  return { stderr, code };
}

/** Runs the command in a process of its own. */
export async function spawnCli(args: string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  const child = await startCli(args, options);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}
