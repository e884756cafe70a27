import * as z from 'zod';
import { option } from '../internal/index.js';

/** One parameter of initialize, or one value of the session (rule S1). */
export const sessionParameterSchema = z.object({
  key: z.string().min(1),
  value: z.string(),
  /** Whether the value is a secret, which no error may contain (rule E5). */
  sensitive: z.boolean().default(false),
});

export type SessionParameter = { key: string; value: string; sensitive: boolean };

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Hop-by-hop and transport headers, besides `proxy-*`: neither a session nor a caller may set them (rule S2). */
const reservedHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Headers that change how a request or its response is read: a session must not set them (rule S2). `accept` is allowed: a
 * session may ask for a version of the same JSON.
 */
const callersHeaders = new Set([
  ...['accept-charset', 'accept-encoding', 'content-encoding', 'content-range', 'content-type', 'range'],
  ...['if-match', 'if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since'],
  ...['x-http-method', 'x-http-method-override', 'x-method-override', 'x-original-url', 'x-rewrite-url'],
]);

/** The limits of a session's headers (rule S2). */
const mostHeaders = 100;
const mostBytes = 64 * 1024;

/** What is wrong with a header, or `undefined`. Names the key and never contains the value (rule S7). */
export function headerProblem(key: string, value: unknown): string | undefined {
  if (!token.test(key)) return `${JSON.stringify(key.slice(0, 80))} is not a valid header name`;
  const name = key.toLowerCase();
  if (reservedHeaders.has(name) || name.startsWith('proxy-'))
    return `"${key}" is a header that belongs to the transport`;
  if (typeof value !== 'string') return `the value of "${key}" is not a string`;
  if (!headerValue.test(value)) return `the value of "${key}" has characters that a header cannot carry`;
  return undefined;
}

/** The name of a header that a response can carry. */
export const headerNameOption = option<string>(
  (value) => typeof value === 'string' && headerProblem(value, '') === undefined,
  'must be the name of a header',
  true,
);

/** Whether a header would lose a part of the value: whitespace at an end (rule S2; RFC 9110, 5.5). */
export function losesWhitespace(value: string): boolean {
  return /^[ \t]|[ \t]$/.test(value);
}

/** What is wrong with a session's header, which is restricted further (rule S2). */
export function sessionHeaderProblem(key: string, value: unknown): string | undefined {
  const changesReading = callersHeaders.has(key.toLowerCase());
  return headerProblem(key, value) ?? (changesReading ? `"${key}" changes how requests are read` : undefined);
}

/** Everything that is wrong with a session (rule S2). Names keys, never values. */
export function sessionProblems(session: readonly { key: string; value: unknown }[]): string[] {
  if (session.length > mostHeaders) return [`it has more than ${mostHeaders} headers`];
  const bytes = session.reduce((sum, { key, value }) => sum + key.length + String(value).length, 0);
  if (bytes > mostBytes) return [`it has more than ${mostBytes} bytes`];
  const seen = new Set<string>();
  return session.flatMap(({ key, value }) => {
    const name = key.toLowerCase();
    const problem = sessionHeaderProblem(key, value) ?? (seen.has(name) ? `"${key}" appears twice` : undefined);
    seen.add(name);
    return problem ?? [];
  });
}

/** Reads both shapes of rule S1: the array of parameters, and the plain object of names and values. */
export function toSessionParameters(value: unknown): SessionParameter[] | undefined {
  if (Array.isArray(value)) {
    const parsed = z.array(sessionParameterSchema).safeParse(value);
    return parsed.success ? parsed.data : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value);
  if (entries.some(([, item]) => typeof item !== 'string')) return undefined;
  return entries.map(([key, item]) => ({ key, value: item as string, sensitive: false }));
}
