import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../test/helpers/free-port.js';
import { end, startRedis } from '../../test/integrations/redis/helpers/redis-process.js';

/** A Redis server of the benchmark's own that keeps what it was told, also when it is killed. */
export async function startLastingRedis(program: string) {
  const port = await freePort();
  const directory = mkdtempSync(path.join(tmpdir(), 'concordat-bench-bullmq-'));
  const start = () => startRedis(program, { port, directory, more: ['--appendonly', 'yes'] });
  let child = await start();
  process.once('exit', () => {
    child.kill('SIGKILL'); // also when the benchmark fails
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    async restart() {
      await end(child);
      child = await start();
    },
  };
}
