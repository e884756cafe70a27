import * as z from 'zod';
import { optionsOf, routePath, texts } from '../internal/index.js';

/** The responses of a real connector, as `concordat record` keeps them, without secrets. */
export interface Recording {
  version: 1;
  /** ISO 8601. */
  recordedAt: string;
  /** How it logs in, and the names of the session's headers; `null` for a connector without a login. */
  initialize: { path: string; session: readonly string[] } | null;
  exchanges: readonly RecordedExchange[];
}

/** As TypeScript sees a JSON file that is imported; its contents are checked when they are read. */
export type ImportedRecording = Omit<Recording, 'version' | 'exchanges'> & {
  version: number;
  exchanges: readonly object[];
};

export interface RecordedExchange {
  request: RecordedRequest;
  response: { status: number; headers: Readonly<Record<string, string>> } & RecordedBody;
}

/** A request as it is sent with a session. */
export interface RecordedRequest extends Omit<RecordedBody, 'base64'> {
  method: string;
  /** With the query. */
  path: string;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** At most one of these. */
export interface RecordedBody {
  json?: unknown;
  text?: string | undefined;
  /** What is not text. */
  base64?: string | undefined;
}

const body = { json: z.unknown().optional(), text: z.string().optional() };

/** Reads a recording, such as a parsed JSON file. */
export const recordingSchema = optionsOf({
  version: z.literal(1, 'must be 1'),
  recordedAt: z.string(),
  initialize: optionsOf({ path: routePath, session: z.array(z.string()).min(1) }).nullable(),
  exchanges: z.array(
    optionsOf({
      request: optionsOf({ method: z.string(), path: z.string().startsWith('/'), headers: texts.optional(), ...body }),
      response: optionsOf({
        status: z.int().min(200).max(599),
        headers: texts,
        ...body,
        base64: z.base64().optional(),
      }),
    }),
  ),
}) satisfies z.ZodType<Recording>;
