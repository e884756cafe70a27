import { describe, expect, it } from 'vitest';
import { cleanCode, cleanMessage } from '../../src/contract/index.js';
import { printable } from '../../src/internal/index.js';

const shown = 'Straße, 日本語, 👩‍👩‍👧, é and a\u00a0no-break space';
const lineEnds = ['\n', '\r', '\r\n', '\v', '\f', '\u0085', '\u2028', '\u2029'];
/** One of each: C0, DEL, C1, then marks, embeddings, overrides and isolates of text direction. */
const hidden = [
  ...['\0', '\b', '\x1b', '\x7f', '\x9b'],
  ...['\u061c', '\u200e', '\u200f', '\u202a', '\u202e', '\u2066', '\u2069'],
];

describe('code, message and detail show as text (E8)', () => {
  it.each([
    ['code', cleanCode],
    ['message', cleanMessage],
    ['detail', printable],
  ])('a %s keeps what is text, and nothing hides in it', (_name, clean) => {
    expect(clean(shown)).toBe(shown);
    for (const character of hidden) expect(clean(`a${character}${character}b`)).toBe('a\ufffd\ufffdb');
  });

  it('a code has no lines: their ends are shown as what they are', () => {
    for (const end of ['\t', ...lineEnds]) expect(cleanCode(`a${end}b`)).toBe(`a${'\ufffd'.repeat(end.length)}b`);
  });

  it('a message is one line: its ends, with what indents the next line, become a space', () => {
    for (const end of ['\t', ...lineEnds]) expect(cleanMessage(`a${end}b`)).toBe('a b');
    expect(cleanMessage('at a\n\n    at  b\r\n\tat c')).toBe('at a at  b at c');
  });

  it('a detail keeps tabs and the ends of its lines, and no others', () => {
    expect(printable('a\tb\nc\r\nd')).toBe('a\tb\nc\r\nd');
    for (const end of ['\r', '\v', '\f', '\u0085', '\u2028', '\u2029']) expect(printable(`a${end}b`)).toBe('a\ufffdb');
  });

  it('a code has 256 bytes at most, a message 8 KiB', () => {
    expect(cleanCode('x'.repeat(256))).toBe('x'.repeat(256));
    expect(cleanCode('x'.repeat(257))).toMatch(/^x{247}… \[cut\]$/);
    expect(cleanMessage('x'.repeat(8192))).toBe('x'.repeat(8192));
    expect(cleanMessage('x'.repeat(8193))).toMatch(/^x{8183}… \[cut\]$/);
  });
});
