import { setTimeout as delay } from 'node:timers/promises';
import { isConnectorError } from 'concordat';
import type { ConnectorClient } from 'concordat/client';
import { z } from 'zod';
import { eachOf } from '../../service/engine/each-of.js';
import type { RawIssue } from './direct.js';

const attachmentsSchema = z.array(z.object({ id: z.number(), filename: z.string() }));

export const originalName = 'github-issue.json';

export function originalOf({ number, title }: RawIssue): string {
  return JSON.stringify({ number, title, note: 'As it was when it was attached: Größe, 💥' });
}

const maxRoundsInVain = 8;
/** A system that answers 503 gets a moment, and fewer requests at once. */
const settleMs = 500;

/**
 * Attaches each GitHub issue as it is to its mirror in Redmine, through the connector. An upload whose answer is lost may
 * have taken place or not: what is there is looked at again before anything is sent twice.
 *
 * @returns the attachments by the number of the mirror.
 */
export async function attachOriginals(
  client: ConnectorClient,
  mirrors: readonly { original: RawIssue; mirror: number }[],
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const attached = new Map<number, number>();
  for (let concurrency = 6, inVain = 0; attached.size < mirrors.length; concurrency = Math.ceil(concurrency / 2)) {
    if (inVain > maxRoundsInVain) throw new Error(`${mirrors.length - attached.size} files could not be attached.`);
    const before = attached.size;
    const missing = mirrors.filter(({ mirror }) => !attached.has(mirror));
    await eachOf(missing, { concurrency, signal }, async ({ original, mirror }) => {
      const path = `/issues/${mirror}/attachments`;
      const present = await client.get(path, { schema: attachmentsSchema, signal });
      const found = present.find(({ filename }) => filename === originalName);
      if (found !== undefined) attached.set(mirror, found.id);
      else {
        const headers = { 'content-type': 'application/json' };
        const body = originalOf(original);
        await client.post(path, { query: { filename: originalName }, headers, body, signal }).catch((error) => {
          if (!isConnectorError(error) || error.status < 500) throw error;
        });
      }
    });
    inVain = attached.size === before ? inVain + 1 : 0;
    await delay(settleMs, undefined, { signal });
  }
  return attached;
}
