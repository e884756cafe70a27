import type { ConnectorClient } from 'concordat/client';
import { eachOf } from '../../service/engine/each-of.js';
import { attachmentsSchema, commentsSchema, type Issue, pageSchema } from './issue.js';

/** One end of the synchronization: a project behind a connector. */
export interface End {
  client: ConnectorClient;
  /** How markers name it: `owner/name`. */
  name: string;
  /** Whether issues have attachments there. @default false */
  hasAttachments?: boolean;
}

/**
 * Reads all issues with their comments. An edited comment moves no issue's time, so there is no shorter way.
 *
 * @param withAttachments whether to ask for attachments, too: what they hold is not read.
 */
export async function readIssues({ client }: End, withAttachments: boolean, signal: AbortSignal): Promise<Issue[]> {
  const issues = new Map<number, Issue>();
  let cursor: string | null = null;
  do {
    const page: ReturnType<typeof pageSchema.parse> = await client.get('/issues', {
      query: { cursor },
      schema: pageSchema,
      signal,
    });
    for (const issue of page.items) issues.set(issue.id, { ...issue, comments: [], attachments: [] });
    cursor = page.nextCursor;
  } while (cursor !== null);
  await eachOf([...issues.values()], { concurrency: 6, signal }, async (issue) => {
    const comments = await client.get(`/issues/${issue.id}/comments`, { schema: commentsSchema, signal });
    issue.comments = comments.sort((a, b) => a.id - b.id);
    if (withAttachments) {
      const path = `/issues/${issue.id}/attachments`;
      issue.attachments = await client.get(path, { schema: attachmentsSchema, signal });
    }
  });
  return [...issues.values()];
}
