import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';

/** The program of a real server: the one of scripts/with-redis.sh, or one that is installed. */
export const serverProgram = findProgram();

/** A redis server of the test's own on a free port, gone when the test ends. */
export async function redisServer() {
  const port = await freePort();
  const directory = mkdtempSync(path.join(tmpdir(), 'concordat-redis-'));
  const clients: Redis[] = [];
  let child = await start(port, directory);
  onTestFinished(async () => {
    for (const client of clients) client.disconnect();
    await end(child);
    rmSync(directory, { recursive: true, force: true });
  });
  const url = `redis://127.0.0.1:${port}`;
  return {
    url,
    /** Ends the server as a power cut does: what it knew is lost. */
    kill: () => end(child),
    async restart() {
      child = await start(port, directory);
    },
    /** Lets it hang: connections stay, answers do not come. */
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    connect(): Redis {
      const client = new Redis(url, { retryStrategy: () => 50 });
      client.on('error', () => {});
      clients.push(client);
      return client;
    },
  };
}

export type RedisServer = Awaited<ReturnType<typeof redisServer>>;

async function start(port: number, directory: string): Promise<ChildProcess> {
  const words = ['--bind', '127.0.0.1', '--port', String(port), '--dir', directory, '--save', '', '--appendonly', 'no'];
  const child = spawn(serverProgram as string, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    child.stdout?.on('data', (text) => String(text).includes('Ready to accept connections') && resolve());
  });
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
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

function findProgram(): string | undefined {
  if (process.env.CONCORDAT_REDIS_SERVER) return process.env.CONCORDAT_REDIS_SERVER;
  try {
    return execFileSync('which', ['redis-server'], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
