import { z } from 'zod';

/** An issue as the connector hands it out; what else it says is not needed here. */
export const issueSchema = z.object({
  number: z.number().int().positive(),
  title: z.string(),
  body: z.string(),
  state: z.enum(['open', 'closed']),
  labels: z.array(z.string()),
});

export type Issue = z.infer<typeof issueSchema>;

/** What is mirrored of an issue. */
export type IssueContent = Omit<Issue, 'number'>;

export const issuePageSchema = z.object({ items: z.array(issueSchema), nextCursor: z.string().nullable() });

export type IssuePage = z.infer<typeof issuePageSchema>;
