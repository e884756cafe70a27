import type { End } from './end.js';
import { type Issue, type IssuePage, issuePageSchema } from './issue.js';
import type { SyncProgress } from './progress.js';

/** Reads all issues of an end. */
export async function readIssues(
  { client }: End,
  { signal, progress }: { signal: AbortSignal; progress: SyncProgress },
): Promise<Issue[]> {
  // A page can move while the list is read; by number, an issue that is met twice counts once.
  const issues = new Map<number, Issue>();
  let cursor: string | null = null;
  do {
    const page: IssuePage = await client.get('/issues', { query: { cursor }, schema: issuePageSchema, signal });
    for (const issue of page.items) issues.set(issue.number, issue);
    progress.advance(page.items.length);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return [...issues.values()];
}
