// The client whose requests are parked: parking.js <url>
import { createConnectorClient } from 'concordat/client';
import { answerCommands } from '../worker.js';
import { path } from './contenders.js';

const [url = ''] = process.argv.slice(2);
const client = createConnectorClient({
  baseUrl: url,
  initialize: { parameters: { user: 'ada' } },
  // The pause has to outlast the parking of all of them.
  rateLimit: { format: 'seconds', jitterMs: 0 },
});
let first: Promise<unknown> | undefined;

answerCommands({
  /** Meets the limit: from now on everything waits. */
  async pause() {
    const paused = new Promise<void>((resolve) => client.on('pause', () => resolve()));
    first = client.get(path);
    await paused;
  },
  async park(count: number) {
    const before = await heapBytes();
    const startedAtMs = performance.now();
    const calls = Array.from({ length: count }, () => client.get(path));
    // The last of them is in the queue as soon as its promise chain has got there.
    await new Promise(setImmediate);
    const parkingMs = performance.now() - startedAtMs;
    // Taken while they wait.
    const bytesEach = ((await heapBytes()) - before) / count;
    if (!client.status.paused) throw new Error('the pause was over before all requests were parked');
    await new Promise<void>((resolve) => client.on('resume', () => resolve()));
    const released = await timed(Promise.all([first, ...calls]));
    calls.length = 0;
    const unparked = await timed(Promise.all(Array.from({ length: count }, () => client.get(path))));
    return {
      bytesEach,
      parkingMs,
      releaseMs: released.wallMs,
      releaseCpuMs: released.cpuMs,
      unparkedMs: unparked.wallMs,
    };
  },
});

async function timed(work: Promise<unknown>): Promise<{ wallMs: number; cpuMs: number }> {
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  await work;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs: performance.now() - startedAtMs, cpuMs: (user + system) / 1000 };
}

async function heapBytes(): Promise<number> {
  for (let pass = 0; pass < 3; pass++) {
    globalThis.gc?.();
    await new Promise(setImmediate);
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return heapUsed + external + arrayBuffers;
}
