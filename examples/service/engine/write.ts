import { isConnectorError } from 'concordat';
import { type ConnectorClient, RequestError } from 'concordat/client';
import { eachOf } from './each-of.js';
import { issueSchema } from './issue.js';
import type { Work } from './plan.js';

/** What has become of the write of one source issue. `unknown`: nobody knows whether it took place. */
export interface Outcome {
  number: number;
  type: Work['type'];
  state: 'done' | 'unknown' | 'refused';
  /** Why it was refused. */
  reason?: string;
}

export interface WriteOptions {
  /** The most writes at once. */
  concurrency: number;
  signal: AbortSignal;
  /** Hears of each outcome, so that an interrupted run can still say what it did. */
  done(outcome: Outcome): void;
}

/**
 * Does the work, several writes at once. An issue that the target refuses does not stop the others. The signal lets what was
 * sent come to its end, because the target may do it anyway; only waits for a limit end at once.
 */
export async function writeAll(work: readonly Work[], target: ConnectorClient, options: WriteOptions): Promise<void> {
  const { signal } = options;
  const waits = new AbortController();
  const endWaits = () => {
    if (signal.aborted && target.status.paused) waits.abort(signal.reason);
  };
  signal.addEventListener('abort', endWaits);
  const forget = target.on('pause', endWaits);
  try {
    await eachOf(work, options, async (item) => {
      const outcome = { number: item.source.number, type: item.type };
      try {
        await write(item, target, waits.signal);
        options.done({ ...outcome, state: 'done' });
      } catch (error) {
        const state = stateOf(error);
        if (state === 'fatal') throw error;
        options.done({ ...outcome, state, ...(state === 'refused' && { reason: (error as Error).message }) });
      }
    });
  } finally {
    forget();
    signal.removeEventListener('abort', endWaits);
  }
}

async function write(item: Work, target: ConnectorClient, signal: AbortSignal): Promise<void> {
  // Sets fields to given values, so that doing it twice does no harm.
  const update = (number: number, json: object) =>
    target.patch(`/issues/${number}`, { json, signal, idempotent: true });
  if (item.type === 'update') return void (await update(item.mirror.number, item.changes));
  const { state, ...json } = item.content;
  // Not `idempotent`: when the response is lost, the client must not simply send it again. The next comparison finds the
  // issue by its marker, or finds that there is none.
  const created = await target.post('/issues', { json, schema: issueSchema, signal });
  if (state === 'closed') await update(created.number, { state });
}

/** Whether only this issue was refused, nobody knows, or every other request would fail as well. */
export function stateOf(error: unknown): 'refused' | 'unknown' | 'fatal' {
  if (isConnectorError(error)) {
    if (error.status >= 500) return 'unknown';
    return error.kind === 'bad-request' || error.kind === 'not-found' || error.kind === 'other' ? 'refused' : 'fatal';
  }
  return error instanceof RequestError && error.code !== 'CLIENT_CLOSED' ? 'unknown' : 'fatal';
}
