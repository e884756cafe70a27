import type { ConnectorClient } from 'concordat/client';
import { z } from 'zod';

const Page = z.object({
  items: z.array(z.looseObject({ id: z.number(), updatedAt: z.string() })),
  nextCursor: z.string().nullable(),
});
export type Issue = z.infer<typeof Page>['items'][number];

/**
 * Brings a copy up to date with what a connector lists: everything that has changed since the last time. Limits, sessions
 * and failures on the way are the client's business and not seen here.
 *
 * @returns the time of the latest change, for the next call.
 */
export async function copyChanges(
  client: ConnectorClient,
  copy: Map<number, Issue>,
  updatedSince?: string,
): Promise<string | undefined> {
  let latest = updatedSince;
  let cursor: string | null = null;
  do {
    const page: z.infer<typeof Page> = await client.get('/issues', { query: { updatedSince, cursor }, schema: Page });
    for (const issue of page.items) {
      copy.set(issue.id, issue);
      if (latest === undefined || issue.updatedAt > latest) latest = issue.updatedAt;
    }
    cursor = page.nextCursor;
  } while (cursor !== null);
  return latest;
}
