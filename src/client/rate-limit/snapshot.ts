import * as z from 'zod';
import { count, option, text } from '../../internal/index.js';

/** What a client knows of the connector's limits, as JSON for the next process. Nothing from the session (rule S7). */
export interface ClientSnapshot {
  readonly version: 1;
  /** The pauses in effect. `scope` is `''` if the connection has only one; `resumeAt` is ISO 8601. */
  readonly pauses: readonly { readonly scope: string; readonly resumeAt: string }[];
  /** The quotas learned so far. */
  readonly quotas: readonly { readonly scope: string; readonly limit: number; readonly windowMs: number }[];
}

const isoTime = /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const time = option<string>(
  (value) => typeof value === 'string' && isoTime.test(value) && !Number.isNaN(Date.parse(value)),
  'must be an ISO 8601 time',
);

const error = 'must be what `client.snapshot()` returned';
const listOf = <Shape extends z.ZodRawShape>(shape: Shape) => z.array(z.object(shape, { error }), { error });

/** A snapshot from outside, such as a file. */
export const snapshotOption = z.object(
  {
    version: z.literal(1, 'must be 1'),
    pauses: listOf({ scope: text, resumeAt: time }),
    quotas: listOf({ scope: text, limit: count(1), windowMs: count(1) }),
  },
  { error },
) satisfies z.ZodType<ClientSnapshot>;
