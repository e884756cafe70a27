import { z } from 'zod';
import type { Attachment, Comment, FullIssue, Issue } from './issues.js';

const named = z.object({ id: z.number(), name: z.string() });

const statusSchema = named.extend({ is_closed: z.boolean().optional() });

const journalSchema = z.object({
  id: z.number(),
  user: named.nullish(),
  notes: z.string().nullish(),
  private_notes: z.boolean().optional(),
  created_on: z.string(),
});

const attachmentSchema = z.object({
  id: z.number(),
  filename: z.string(),
  filesize: z.number(),
  content_type: z.string().nullish(),
  description: z.string().nullish(),
  author: named.nullish(),
  created_on: z.string(),
});

const issueSchema = z.object({
  id: z.number(),
  project: named,
  tracker: named,
  status: statusSchema,
  author: named.nullish(),
  assigned_to: named.nullish(),
  subject: z.string(),
  description: z.string().nullish(),
  created_on: z.string(),
  updated_on: z.string(),
  journals: z.array(journalSchema).optional(),
  attachments: z.array(attachmentSchema).optional(),
});

type RedmineIssue = z.output<typeof issueSchema>;

/** What is read of Redmine's answers. */
export const wire = {
  user: z.object({
    user: z.object({ id: z.number(), login: z.string(), firstname: z.string(), lastname: z.string() }),
  }),
  login: z.object({ user: z.object({ api_key: z.string().min(1) }) }),
  project: z.object({ project: z.object({ id: z.number() }) }),
  statuses: z.object({ issue_statuses: z.array(statusSchema) }),
  members: z.object({ memberships: z.array(z.object({ user: named.optional() })), total_count: z.number() }),
  issue: z.object({ issue: issueSchema }),
  issues: z.object({ issues: z.array(issueSchema) }),
  upload: z.object({ upload: z.object({ token: z.string() }) }),
  attachment: z.object({ attachment: attachmentSchema }),
};

/** @param baseUrl the root of Redmine, for the address that people open. */
export function toIssue(issue: RedmineIssue, baseUrl: string): Issue {
  return {
    number: issue.id,
    title: issue.subject,
    body: toText(issue.description),
    state: issue.status.is_closed ? 'closed' : 'open',
    status: issue.status.name,
    tracker: issue.tracker.name,
    author: issue.author?.name ?? '',
    assignee: issue.assigned_to?.name ?? null,
    createdAt: issue.created_on,
    updatedAt: issue.updated_on,
    url: `${baseUrl}/issues/${issue.id}`,
  };
}

export function toFullIssue(issue: RedmineIssue, baseUrl: string): FullIssue {
  return {
    ...toIssue(issue, baseUrl),
    comments: toComments(issue.journals ?? []),
    attachments: (issue.attachments ?? []).map(toAttachment),
  };
}

/** A journal without notes is a change of fields and no comment; private notes are not for another system. */
function toComments(journals: z.output<typeof journalSchema>[]): Comment[] {
  return journals
    .filter(({ notes, private_notes }) => notes && !private_notes)
    .map(({ id, notes, user, created_on }) => ({
      id,
      body: toText(notes),
      author: user?.name ?? '',
      createdAt: created_on,
    }));
}

export function toAttachment(attachment: z.output<typeof attachmentSchema>): Attachment {
  return {
    id: attachment.id,
    filename: attachment.filename,
    bytes: attachment.filesize,
    contentType: attachment.content_type || 'application/octet-stream',
    description: toText(attachment.description),
    author: attachment.author?.name ?? '',
    createdAt: attachment.created_on,
  };
}

/** Redmine keeps all descriptions with Windows line ends, whatever it was given. */
function toText(text: string | null | undefined): string {
  return (text ?? '').replaceAll('\r\n', '\n');
}
