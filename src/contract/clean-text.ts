import { limitBytes } from './payload.js';

/** The maximum length of an error's `code` and `message`, in bytes (rule E8). */
const maxCodeBytes = 256;
const maxMessageBytes = 8 * 1024;

const lineEnd = /[\t\n\v\f\r\u0085\u2028\u2029]\s*/g;

/** Characters that a terminal or a log does not show as text: control characters, line separators, direction marks. */
const notText = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const notTextOfLines = /(?![\t\n]|\r\n)[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const replacement = '\ufffd';

// For both sides of a call, after redaction: a truncated secret could no longer be found (rule E5).

/** A code that is safe to show: bounded, and text only (rule E8). */
export function cleanCode(code: string): string {
  return limitBytes(code.replace(notText, replacement), maxCodeBytes);
}

/** A message that is safe to show: one line, bounded (rule E8). */
export function cleanMessage(message: string): string {
  return limitBytes(message.replace(lineEnd, ' ').replace(notText, replacement), maxMessageBytes);
}

/** A detail that is safe to show: it keeps its lines, and an option of the connector bounds it (rules E5, E8). */
export function cleanDetail(detail: string): string {
  return detail.replace(notTextOfLines, replacement);
}
