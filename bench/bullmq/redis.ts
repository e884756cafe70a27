import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A redis server of the benchmark's own that keeps what it was told, also when it is killed. */
export async function startRedis(program: string) {
  const port = await freePort();
  const directory = mkdtempSync(path.join(tmpdir(), 'concordat-bench-bullmq-'));
  const words = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--dir',
    directory,
    '--save',
    '',
    '--appendonly',
    'yes',
  ];
  const start = () => started(spawn(program, words, { stdio: ['ignore', 'pipe', 'ignore'] }));
  let child = await start();
  process.once('exit', () => {
    child.kill('SIGKILL'); // also when the benchmark fails
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    async restart() {
      await killed(child);
      child = await start();
    },
  };
}

async function started(child: ChildProcess): Promise<ChildProcess> {
  await new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    child.stdout?.on('data', (text) => String(text).includes('Ready to accept connections') && resolve());
  });
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
