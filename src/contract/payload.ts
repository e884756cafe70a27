import * as z from 'zod';
import { describeValue, isObject, parseJson } from '../internal/index.js';
import { errorTable } from './error-table.js';

/** The body of every error response (rule E1). */
export const errorPayloadSchema = z.strictObject({
  errors: z.strictObject({
    code: z.string().min(1).meta({ description: 'Error code of the end system, or one chosen by the connector' }),
    message: z.string().min(1).meta({ description: 'Why the call failed' }),
    detail: z.string().optional().meta({ description: "Extra details, such as the end system's response" }),
  }),
});

export type ErrorPayload = z.infer<typeof errorPayloadSchema>;

/** The default maximum length of `detail`, in bytes (rule E5). */
export const defaultMaxDetailBytes = 8 * 1024;

const cutMark = '… [cut]';

/**
 * Reads an error body leniently (rule E6): a parsed value or JSON text; an `errors` array (its first entry); numeric codes;
 * details that are not strings (serialized); a missing code (`fallbackCode`).
 *
 * @param fallbackCode the code when the body has none. @default 'CONNECTOR_ERROR'
 * @returns the payload, or `undefined` when the value is not a contract body. Never throws.
 * @example
 * parseErrorPayload({ errors: [{ code: 42, message: 'No issue 7' }] })
 * // { errors: { code: '42', message: 'No issue 7' } }
 */
export function parseErrorPayload(
  value: unknown,
  fallbackCode: string = errorTable.other.code,
): ErrorPayload | undefined {
  try {
    return readPayload(typeof value === 'string' ? parseJson(value) : value, fallbackCode);
  } catch {
    return undefined; // a getter or proxy that throws: certainly no contract body
  }
}

function readPayload(value: unknown, fallbackCode: string): ErrorPayload | undefined {
  if (!isObject(value)) return undefined;
  const entry = Array.isArray(value.errors) ? value.errors[0] : value.errors;
  if (!isObject(entry)) return undefined;
  const { code, message, detail } = entry;
  if (!isShown(message)) return undefined;
  const text = detail === undefined || detail === null ? '' : describeValue(detail);
  return { errors: { code: readCode(code) ?? fallbackCode, message, ...(text === '' ? {} : { detail: text }) } };
}

/**
 * Reads a problem of RFC 9457 as an error's content: `code` (else `type`), `title`, `detail`.
 *
 * @returns `undefined` when the value is not a problem. Never throws.
 */
export function parseProblem(text: string): ErrorPayload['errors'] | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { type, title, detail } = value;
  const [message] = [title, detail].filter(isShown);
  if (message === undefined) return undefined;
  const code = readCode(value.code) ?? (type === 'about:blank' ? undefined : readCode(type)) ?? '';
  return { code, message, ...(typeof detail === 'string' && detail !== '' ? { detail } : {}) };
}

/** Whether it is text that is still there when lines are joined (rule E8): `trim` keeps U+0085, which ends a line. */
function isShown(message: unknown): message is string {
  return typeof message === 'string' && /[^\s\u0085]/.test(message);
}

/** An end system's code as the contract writes it: numbers become strings; `undefined` when there is none (rule E3). */
export function readCode(code: unknown): string | undefined {
  if (Number.isFinite(code) || typeof code === 'bigint') return String(code);
  return typeof code === 'string' && code.trim() !== '' ? code : undefined;
}

/**
 * Cuts text to at most `maxBytes` of UTF-8, between characters, and marks the cut (rule E5).
 */
export function limitBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text;
  const encoder = new TextEncoder();
  if (encoder.encode(text).length <= maxBytes) return text;
  const room = maxBytes - encoder.encode(cutMark).length;
  // `encodeInto` never writes half a character.
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.max(0, room < 0 ? maxBytes : room)));
  return text.slice(0, read) + (room < 0 ? '' : cutMark);
}
