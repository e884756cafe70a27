// Many requests that wait for one limit: what each holds in memory, and how long they take once the limit is over.
import { round } from '../table.js';
import { startWorker, type Worker } from '../worker.js';

interface Parked {
  readonly bytesEach: number;
  readonly parkingMs: number;
  readonly releaseMs: number;
  readonly releaseCpuMs: number;
  readonly unparkedMs: number;
}

export async function benchParked(server: Worker, url: string, count: number): Promise<void> {
  const worker = startWorker('parking', [url]);
  await server.call('refuse', 4);
  await worker.call('pause');
  await server.call('refuse', undefined);
  const { bytesEach, parkingMs, releaseMs, releaseCpuMs, unparkedMs } = await worker.call<Parked>('park', count);
  console.log(`\n${count} requests parked by one limit`);
  console.table({
    'bytes each': Math.round(bytesEach),
    'parking all, ms': round(parkingMs),
    'from the end of the pause to the last answer, ms': round(releaseMs),
    'CPU of that, µs each': round((releaseCpuMs * 1000) / count),
    'as many that were never parked, ms': round(unparkedMs),
  });
  await worker.stop();
}
