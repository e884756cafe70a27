import { z } from 'zod';

export const sides = ['left', 'right'] as const;
/** One of the two systems. */
export type Side = (typeof sides)[number];
export type Sides<Value> = Record<Side, Value>;

export function otherSide(side: Side): Side {
  return side === 'left' ? 'right' : 'left';
}

export interface Comment {
  id: number;
  body: string;
}

/** A file that is attached to an issue. */
export interface Attachment {
  id: number;
  /** What people say about it; of a mirror it ends with the marker. */
  body: string;
  filename: string;
  contentType: string;
  bytes: number;
}

/** An issue as both connectors hand it out, with its comments in the order in which they were written. */
export interface Issue {
  id: number;
  title: string;
  body: string;
  state: 'open' | 'closed';
  updatedAt: string;
  comments: Comment[];
  /** Where one of the two systems has none, this is empty on both sides. */
  attachments: Attachment[];
}

/** What is kept equal of an issue; its comments and attachments are looked at one by one. */
export type Content = Pick<Issue, 'title' | 'body' | 'state'>;

const issueSchema = z
  .object({
    number: z.number().int().positive(),
    title: z.string(),
    body: z.string(),
    state: z.enum(['open', 'closed']),
    updatedAt: z.string(),
  })
  .transform(({ number, ...issue }) => ({ id: number, ...issue }));

export const pageSchema = z.object({ items: z.array(issueSchema), nextCursor: z.string().nullable() });

/** The answer to the creation of an issue, of which only its number matters. */
export const createdSchema = z.object({ number: z.number().int().positive() });

export const commentsSchema = z.array(z.object({ id: z.number().int().positive(), body: z.string() }));

export const attachmentsSchema = z.array(
  z
    .object({
      id: z.number().int().positive(),
      description: z.string(),
      filename: z.string(),
      contentType: z.string(),
      bytes: z.number(),
    })
    .transform(({ description, ...attachment }): Attachment => ({ ...attachment, body: description })),
);
