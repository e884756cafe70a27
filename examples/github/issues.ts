import { z } from 'zod';

/** An issue as this connector hands it out. */
export interface Issue {
  number: number;
  title: string;
  body: string;
  state: 'open' | 'closed';
  labels: string[];
  updatedAt: string;
  url: string;
}

export interface Comment {
  id: number;
  body: string;
}

const title = z.string().trim().min(1).max(256);
const body = z.string().max(65_536);
const labels = z.array(z.string().min(1).max(50)).max(100);

/** The body of `POST /issues`. */
export const newIssueSchema = z.strictObject({ title, body: body.default(''), labels: labels.default([]) });

/** The body of `PATCH /issues/:number`: what is left out stays as it is. */
export const issueChangesSchema = z
  .strictObject({ title, body, labels, state: z.enum(['open', 'closed']) })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, 'there is nothing to change');

/** The query of `GET /issues`. A cursor is what the page before answered as `nextCursor`. */
export const issueQuerySchema = z.strictObject({
  updatedSince: z.iso.datetime({ offset: true }).optional(),
  cursor: z
    .string()
    .regex(/^[\w%.~=&+-]{1,500}$/, 'is not a cursor of this connector')
    .optional(),
});

/** The body of `POST /issues/:number/comments` and `PATCH /comments/:id`. */
export const commentSchema = z.strictObject({ body: body.regex(/\S/, 'must not be blank') });

export type NewIssue = z.output<typeof newIssueSchema>;
export type IssueChanges = z.output<typeof issueChangesSchema>;
export type IssueQuery = z.output<typeof issueQuerySchema>;

/** What is read of an issue of the GitHub API. */
export const gitHubIssueSchema = z
  .object({
    number: z.number(),
    title: z.string(),
    body: z.string().nullish(),
    state: z.enum(['open', 'closed']),
    labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])),
    updated_at: z.string(),
    html_url: z.string(),
    pull_request: z.unknown().optional(),
  })
  .transform((issue) => ({
    isPullRequest: issue.pull_request !== undefined && issue.pull_request !== null,
    issue: {
      number: issue.number,
      title: issue.title,
      body: issue.body ?? '',
      state: issue.state,
      labels: issue.labels.map((label) => (typeof label === 'string' ? label : (label.name ?? ''))).filter(Boolean),
      updatedAt: issue.updated_at,
      url: issue.html_url,
    } satisfies Issue,
  }));

export const gitHubCommentSchema = z
  .object({ id: z.number(), body: z.string().nullish() })
  .transform(({ id, body }): Comment => ({ id, body: body ?? '' }));
