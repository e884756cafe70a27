import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectorClient } from 'concordat/client';
import { eachOf } from '../../service/engine/each-of.js';
import { stateOf } from '../../service/engine/write.js';
import { type Attachment, createdSchema, otherSide, type Sides } from './issue.js';
import type { Work } from './plan.js';
import type { End } from './read.js';

export interface WriteOptions {
  ends: Sides<End>;
  signal: AbortSignal;
  concurrency: number;
  /** Gets every single write that has been done. */
  written: (what: WriteKind) => void;
  /** Hears that an issue is through. */
  done: () => void;
  /** Gets what a system has refused for good. */
  refused: (key: string, reason: string) => void;
}

export type WriteKind = 'issue created' | 'issue changed' | 'comment created' | 'comment changed' | 'file copied';

/** After a write without an answer, nothing more is written for so long: what is on its way arrives, a busy system recovers. */
export const settleMs = 1000;

/** For a file as a whole, on its way through both connectors. */
const fileTimeoutMs = 10 * 60_000;

/** @returns how many writes ended without anybody knowing whether they took place: reading both ends again will tell. */
export async function writeAll(work: readonly Work[], options: WriteOptions): Promise<number> {
  let unknown = 0;
  await eachOf(work, options, async (item) => {
    try {
      await write(item, options);
    } catch (error) {
      const outcome = stateOf(error);
      if (outcome === 'fatal') throw error;
      if (outcome === 'refused') options.refused(item.key, (error as Error).message);
      else {
        unknown++;
        await delay(settleMs, undefined, { signal: options.signal });
      }
    }
    options.done();
  });
  return unknown;
}

/** What creates is not sent again by itself when its answer is lost; what sets something to a value may be. */
async function write(work: Work, { ends, signal, written }: WriteOptions): Promise<void> {
  const { client } = ends[work.to];
  if (work.type === 'create') {
    const { state, ...json } = work.content;
    const { number } = await client.post('/issues', { json, schema: createdSchema, signal });
    written('issue created');
    if (state === 'closed') await client.patch(`/issues/${number}`, { json: { state }, signal, idempotent: true });
    return;
  }
  if (Object.keys(work.changes).length > 0) {
    await client.patch(`/issues/${work.id}`, { json: work.changes, signal, idempotent: true });
    written('issue changed');
  }
  for (const { id, body } of work.changedComments) {
    await client.patch(`/comments/${id}`, { json: { body }, signal, idempotent: true });
    written('comment changed');
  }
  for (const body of work.newComments) {
    await client.post(`/issues/${work.id}/comments`, { json: { body }, signal });
    written('comment created');
  }
  for (const attachment of work.newAttachments) {
    await copyFile(ends[otherSide(work.to)].client, client, work.id, attachment, signal);
    written('file copied');
  }
}

/**
 * Copies a file while it is read: none of the three processes holds it. Where a limit or a 401 asks for all of it again, it is
 * read again.
 */
async function copyFile(
  source: ConnectorClient,
  target: ConnectorClient,
  issue: number,
  { id, filename, body: description, contentType, bytes }: Attachment,
  signal: AbortSignal,
): Promise<void> {
  await target.post(`/issues/${issue}/attachments`, {
    query: { filename, description },
    headers: { 'content-type': contentType, 'content-length': String(bytes) },
    body: async () => (await source.stream(`/attachments/${id}`, { signal })).body,
    timeoutMs: fileTimeoutMs,
    signal,
  });
}
