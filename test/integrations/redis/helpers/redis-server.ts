import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { freePort } from '../../../helpers/free-port.js';
import { end, launch, startRedis } from './redis-process.js';

/** The program of a real server: the one of scripts/with-redis.sh, or one that is installed. */
export const serverProgram = findProgram();

/**
 * A Redis server of the test's own on a free port, gone when the test ends.
 *
 * @param words more for its command line
 */
export async function redisServer(...words: string[]) {
  const port = await freePort();
  const directory = mkdtempSync(path.join(tmpdir(), 'concordat-redis-'));
  const clients: Redis[] = [];
  const start = () => startRedis(serverProgram as string, { port, directory, more: words });
  let child = await start();
  onTestFinished(async () => {
    for (const client of clients) client.disconnect();
    await end(child);
    rmSync(directory, { recursive: true, force: true });
  });
  const url = `redis://127.0.0.1:${port}`;
  return {
    url,
    port,
    /** Ends the server as a power cut does: what it knew is lost. */
    kill: () => end(child),
    async restart() {
      child = await start();
    },
    /** Lets it hang: connections stay, answers do not come. */
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    /** @param through the way to it, such as that of a proxy */
    connect(through = url): Redis {
      const client = new Redis(through, { retryStrategy: () => 50 });
      client.on('error', () => {});
      clients.push(client);
      return client;
    },
  };
}

export type RedisServer = Awaited<ReturnType<typeof redisServer>>;

/** Watches a master, and makes its replica the master when it is gone. */
export async function sentinel(master: { port: number }) {
  const port = await freePort();
  const directory = mkdtempSync(path.join(tmpdir(), 'concordat-sentinel-'));
  const file = path.join(directory, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${directory}`,
    `sentinel monitor main 127.0.0.1 ${master.port} 1`,
    'sentinel down-after-milliseconds main 2000',
  ];
  writeFileSync(file, lines.join('\n'));
  const child = await launch(serverProgram as string, [file, '--sentinel'], '+monitor master');
  onTestFinished(async () => {
    await end(child);
    rmSync(directory, { recursive: true, force: true });
  });
  return { port };
}

function findProgram(): string | undefined {
  if (process.env.CONCORDAT_REDIS_SERVER) return process.env.CONCORDAT_REDIS_SERVER;
  try {
    return execFileSync('which', ['redis-server'], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
