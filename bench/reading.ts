import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';

/** How a process is, once everything unused has been collected. */
export interface Reading {
  readonly sockets: number;
  readonly descriptors: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** How long the event loop has been held up since the last reading: usually (the median), and at most. */
  readonly usualDelayMs: number;
  readonly longestDelayMs: number;
}

const resolutionMs = 10;

/** Watches this process from now on; needs `--expose-gc`. @returns a function that reads how it is. */
export function watchProcess(): () => Promise<Reading> {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  return async () => {
    const [usual, longest] = [delay.percentile(50), delay.max];
    for (let turn = 0; turn < 3; turn++) {
      await pause(10);
      globalThis.gc?.();
    }
    delay.reset(); // the collection just made is not the traffic's
    const { heapUsed, rss } = process.memoryUsage();
    return {
      sockets: process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length,
      descriptors: readdirSync('/proc/self/fd').length,
      heapBytes: heapUsed,
      rssBytes: rss,
      usualDelayMs: Math.max(0, usual / 1e6 - resolutionMs),
      longestDelayMs: longest / 1e6,
    };
  };
}
