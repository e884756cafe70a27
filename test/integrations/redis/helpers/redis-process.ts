import { type ChildProcess, spawn } from 'node:child_process';

/** A server that forgets everything when it ends; `more` words of its command line may change that. */
export function startRedis(
  program: string,
  { port, directory, more = [] }: { port: number; directory: string; more?: readonly string[] },
): Promise<ChildProcess> {
  const words = ['--bind', '127.0.0.1', '--port', String(port), '--dir', directory, '--save', '', '--appendonly', 'no'];
  return launch(program, [...words, ...more], 'Ready to accept connections');
}

/** Starts the program, and waits until it has written this. */
export async function launch(program: string, words: readonly string[], started: string): Promise<ChildProcess> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    child.stdout?.on('data', (text) => String(text).includes(started) && resolve());
  });
  return child;
}

/** Ends it as a power cut does. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
