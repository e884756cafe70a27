import { isConnectorError } from 'concordat';
import { RequestError } from 'concordat/client';
import { eachOf } from './each-of.js';
import { issueSchema } from './issue.js';
import type { Work } from './plan.js';
import type { SyncOptions } from './sync.js';

/** So many writes without a known outcome end a round: something is down, and reading both ends again will tell. */
const maxUnknown = 10;

/**
 * Does the work, several writes at once. An issue that the target refuses is noted and does not stop the others.
 *
 * @returns how many writes ended without anybody knowing whether they took place.
 */
export async function writeAll(work: readonly Work[], options: SyncOptions): Promise<number> {
  const { tally, progress } = options;
  let unknown = 0;
  await eachOf(work, options, async (item) => {
    const { number } = item.source;
    try {
      if (item.type === 'create') await create(item, options);
      else {
        await update(item.targetNumber, item.changes, options);
        tally.written(number, 'updated');
      }
      progress.advance(1);
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome === 'fatal') throw error;
      if (outcome === 'refused') tally.failed(number, (error as Error).message);
      else {
        unknown++;
        if (item.type === 'create') tally.maybeCreated(number);
      }
    }
    return unknown >= maxUnknown ? 'stop' : 'go-on';
  });
  return unknown;
}

async function create({ source, content }: Extract<Work, { type: 'create' }>, options: SyncOptions): Promise<void> {
  const { state, ...json } = content;
  const { target, signal, tally } = options;
  // Not `idempotent`: when the response is lost, the client must not simply send it again. The next comparison finds the
  // issue by its marker, or finds that there is none.
  const created = await target.client.post('/issues', { json, schema: issueSchema, signal });
  tally.written(source.number, 'created');
  if (state === 'closed') await update(created.number, { state }, options);
}

/** Sets fields to given values, so that doing it twice does no harm. */
async function update(number: number, json: object, { target, signal }: SyncOptions): Promise<void> {
  await target.client.patch(`/issues/${number}`, { json, signal, idempotent: true });
}

/** Whether only this issue was refused, nobody knows, or every other request would fail as well. */
function outcomeOf(error: unknown): 'refused' | 'unknown' | 'fatal' {
  if (isConnectorError(error)) {
    if (error.status >= 500) return 'unknown';
    return error.kind === 'bad-request' || error.kind === 'not-found' || error.kind === 'other' ? 'refused' : 'fatal';
  }
  return error instanceof RequestError && error.code !== 'CLIENT_CLOSED' ? 'unknown' : 'fatal';
}
