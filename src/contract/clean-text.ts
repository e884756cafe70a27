import { printable } from '../internal/index.js';
import { limitBytes } from './payload.js';

/** The maximum length of an error's `code` and `message`, in bytes (rule E8). */
export const maxCodeBytes = 256;
export const maxMessageBytes = 8 * 1024;

const lineEnd = /[\t\n\v\f\r\u0085\u2028\u2029]\s*/g;

// For both sides of a call, after redaction: a truncated secret could no longer be found (rule E5). For a
// detail, which keeps its lines and has a bound of its own, `printable` is enough.

/** A code that is safe to show: bounded, and text only (rule E8). */
export function cleanCode(code: string): string {
  return limitBytes(printable(code.replace(/[\t\n\r]/g, '\ufffd')), maxCodeBytes);
}

/** A message that is safe to show: one line, bounded (rule E8). */
export function cleanMessage(message: string): string {
  return limitBytes(printable(message.replace(lineEnd, ' ')), maxMessageBytes);
}
