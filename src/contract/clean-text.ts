import { limitBytes } from './payload.js';

/** The most bytes of an error's `code` and `message` (rule E8). */
const maxCodeBytes = 256;
const maxMessageBytes = 8 * 1024;

const lineEnd = /[\t\n\v\f\r\u0085\u2028\u2029]\s*/g;

/** What a terminal or a log does not show as text: control characters, separators of lines, changes of direction. */
const notText = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const notTextOfLines = /(?![\t\n]|\r\n)[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const replacement = '\ufffd';

// For both sides of a call, after secrets were taken out: a secret that a cut has split could no longer be found (rule E5).

/** A code as it may be shown: bounded, and no part of it is taken for anything but text (rule E8). */
export function cleanCode(code: string): string {
  return limitBytes(code.replace(notText, replacement), maxCodeBytes);
}

/** A message as it may be shown: one line, bounded (rule E8). */
export function cleanMessage(message: string): string {
  return limitBytes(message.replace(lineEnd, ' ').replace(notText, replacement), maxMessageBytes);
}

/** A detail as it may be shown; it keeps its lines, and its bound is the connector's option (rules E5, E8). */
export function cleanDetail(detail: string): string {
  return detail.replace(notTextOfLines, replacement);
}
