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

/** An issue as both connectors hand it out, with its comments in the order in which they were written. */
export interface Issue {
  id: number;
  title: string;
  body: string;
  state: 'open' | 'closed';
  updatedAt: string;
  comments: Comment[];
}

/** What is kept equal of an issue; its comments are looked at one by one. */
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
