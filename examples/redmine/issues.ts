import { z } from 'zod';

/** An issue as this connector hands it out: what Redmine calls subject and description are its title and body. */
export interface Issue {
  number: number;
  title: string;
  body: string;
  state: 'open' | 'closed';
  /** Redmine's own name of the status; several of them are open, several closed. */
  status: string;
  tracker: string;
  author: string;
  assignee: string | null;
  createdAt: string;
  updatedAt: string;
  url: string;
}

export interface Comment {
  id: number;
  body: string;
  author: string;
  createdAt: string;
}

export interface Attachment {
  id: number;
  filename: string;
  bytes: number;
  contentType: string;
  description: string;
  author: string;
  createdAt: string;
}

/** An issue with everything that hangs on it. */
export interface FullIssue extends Issue {
  comments: Comment[];
  attachments: Attachment[];
}

// How long a subject may be is for Redmine to say: it differs from version to version.
const title = z.string().trim().min(1);
const body = z.string();
const state = z.enum(['open', 'closed']);

/** The body of `POST /issues`. */
export const newIssueSchema = z.strictObject({ title, body: body.default('') });

/** The body of `PATCH /issues/:number`: what is left out stays as it is. */
export const issueChangesSchema = z
  .strictObject({ title, body, state })
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, 'there is nothing to change');

/** The query of `GET /issues`. A cursor is what the page before answered as `nextCursor`. */
export const issueQuerySchema = z.strictObject({
  updatedSince: z.iso.datetime({ offset: true }).optional(),
  cursor: z
    .string()
    .regex(/^[1-9]\d{0,9}$/, 'is not a cursor of this connector')
    .optional(),
});

/** The body of `POST /issues/:number/comments` and `PATCH /comments/:id`. */
export const commentSchema = z.strictObject({ body: z.string().regex(/\S/, 'must not be blank') });

/** The query of `POST /issues/:number/attachments`. */
export const attachmentQuerySchema = z.strictObject({
  filename: z.string().regex(/^[^/\\?%*:|"'<>\p{Cc}]{1,200}$/u, 'must be the name of a file'),
  // Redmine drops the file of a longer one, and says nothing.
  description: z.string().max(255).default(''),
});

export type NewIssue = z.output<typeof newIssueSchema>;
export type IssueChanges = z.output<typeof issueChangesSchema>;
export type IssueQuery = z.output<typeof issueQuerySchema>;
