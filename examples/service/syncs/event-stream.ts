import type { AdminSectionContext } from 'concordat/admin';
import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import { recentMs, type Span } from './picture/frame.js';
import type { RunStore } from './store/run-store.js';

interface StreamOptions {
  store: RunStore;
  run: number | 'latest';
  span: Span;
  /** What the page has already, from `Last-Event-ID`. */
  since: number | undefined;
  pollMs: number;
  heartbeatMs: number;
  /** The service ends: the page asks again, and gets what it has missed from the next process. */
  closing: AbortSignal;
}

/** How long a browser waits before it connects again. */
const reconnectMs = 2000;

/**
 * A run as server-sent events: `update` with what is new, its id being the revision, so that a browser that comes back gets
 * what it has missed and no more; `signed-out` when the sign-in is over, and then the end.
 */
export function streamRun(c: Context<{ Bindings: AdminSectionContext }>, options: StreamOptions): Response {
  const { store, run, span, pollMs, heartbeatMs, closing } = options;
  const context = c.env;
  return streamSSE(
    c,
    async (stream) => {
      const ended = new AbortController();
      stream.onAbort(() => ended.abort());
      const stop = AbortSignal.any([closing, ended.signal]);
      let since = options.since;
      let quietSince = performance.now();
      // Said at once: a browser that waits for the first word would not know that it is connected.
      await stream.write(`retry: ${reconnectMs}\n\n`);
      while (!stop.aborted) {
        if (!(await context.isSignedIn())) {
          await stream.writeSSE({ event: 'signed-out', data: '' });
          return;
        }
        store.markInterrupted();
        const update = store.changes(run, { since, ...(span === 'recent' && { recentMs: recentMs + 10_000 }) });
        if (update !== undefined) {
          since = update.revision;
          await stream.writeSSE({ event: 'update', id: String(since), data: JSON.stringify(update) });
          quietSince = performance.now();
        } else if (performance.now() - quietSince >= heartbeatMs) {
          // Nothing to tell for minutes is what a wait looks like: proxies cut connections that say nothing.
          await stream.write(': heartbeat\n\n');
          quietSince = performance.now();
        }
        await nextChange(store, pollMs, stop);
      }
    },
    // What failed, such as a database that was closed, fails again when the browser comes back, and is then reported.
    async () => {},
  );
}

/** Waits for a write of this process, or until it is time to look for those of others. */
function nextChange(store: RunStore, pollMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (stop.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      forget();
      stop.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, pollMs).unref();
    const forget = store.onChange(done);
    stop.addEventListener('abort', done);
  });
}
