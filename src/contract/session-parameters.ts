import { z } from 'zod';

/** One parameter of initialize, or one value of the session that it hands out (rule S1). */
export const sessionParameterSchema = z.object({
  key: z.string().min(1),
  value: z.string(),
  /** Whether the value is a secret: it is then kept out of every error (rule E5). */
  sensitive: z.boolean().default(false),
});

export type SessionParameter = { key: string; value: string; sensitive: boolean };

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that belong to one hop or to the transport, beside `proxy-*`: neither a session nor a caller may set them (rule S2). */
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
 * Says what is wrong with a session header, if anything is. The answer names the key and never contains the value
 * (rules S2, S7).
 */
export function sessionHeaderProblem(key: string, value: unknown): string | undefined {
  if (!token.test(key)) return `${JSON.stringify(key)} is not a valid header name`;
  const name = key.toLowerCase();
  if (reservedHeaders.has(name) || name.startsWith('proxy-'))
    return `"${key}" is a header that belongs to the transport`;
  if (typeof value !== 'string') return `the value of "${key}" is not a string`;
  if (!headerValue.test(value)) return `the value of "${key}" has characters that a header cannot carry`;
  return undefined;
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
