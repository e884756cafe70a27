// `code` and `message` of an error went from a connector to the service's terminal as they were, up to 900 KB of them: escape
// sequences that set colors and titles, a line end with a forged line of the log behind it, NUL, changes of direction. Only
// `detail` was bounded. Found by an attack that sent each of them; both sides clean and bound them now.
import { BadRequestError } from 'concordat';
import { createConnector } from 'concordat/connector';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';

const hostile: [string, string][] = [
  ['a color', '\u001b[31m'],
  ['a title', '\u001b]0;owned\u0007'],
  ['a forged line', '\r\n2030-01-01 all is well'],
  ['a carriage return', '\r'],
  ['NUL', '\0'],
  ['C1', '\u009b31m'],
  ['DEL', '\u007f'],
  ['a line separator', '\u2028'],
  ['bidi embedding', '\u202e'],
  ['bidi isolate', '\u2066'],
  ['bidi marks', '\u200e\u200f\u061c'],
];

const hidden = [
  [0, 0x1f],
  [0x7f, 0x9f],
  [0x61c, 0x61c],
  [0x200e, 0x200f],
  [0x2028, 0x202e],
  [0x2066, 0x2069],
] as const;

/** The characters of a text that must not be in it as they are. */
function unclean(text: string): string[] {
  const isHidden = (point: number) => hidden.some(([first, last]) => point >= first && point <= last);
  return [...text].filter((character) => isHidden(character.codePointAt(0) as number));
}

const bytes = (text: string) => Buffer.byteLength(text);

/** What the client makes of an error body. */
async function readByClient(errors: { code: string; message: string; detail?: string }, session?: string) {
  const connector = await scriptedConnector({ handle: (exchange) => exchange.reply(400, { errors }), guard: false });
  if (session !== undefined) connector.initialize = (exchange) => exchange.reply(200, { 'x-session': session });
  return rejection(connect(connector).get('/items'));
}

/** What a connector writes for an error. */
async function writtenByConnector(errors: { code: string; message: string; detail?: string }, session = 'a') {
  const connector = createConnector({
    initialize: { parameters: z.object({}), handler: () => ({ 'x-session': 'a' }) },
    session: z.object({ 'x-session': z.string() }),
  });
  connector.get('/items', () => {
    throw new BadRequestError(errors.message, { code: errors.code, detail: errors.detail });
  });
  const response = await connector.request('/items', { headers: { 'x-session': session } });
  return ((await response.json()) as { errors: typeof errors }).errors;
}

describe.each([
  ['read by the client', readByClient],
  ['written by a connector', writtenByConnector],
])('an error %s', (_how, pass) => {
  it.each(hostile)('is clean in spite of %s: code, message and detail (E8)', async (_what, text) => {
    const error = await pass({ code: `A${text}B`, message: `before ${text} after`, detail: `before ${text} after` });
    expect(unclean(error.code)).toEqual([]);
    expect(unclean(error.message)).toEqual([]);
    expect(unclean((error.detail as string).replaceAll('\r\n', '\n').replaceAll(/[\t\n]/g, ''))).toEqual([]);
    expect(error.code).toMatch(/^A.+B$/);
    expect(error.message).toMatch(/before .*after$/);
  });

  it('keeps its words, its code and the lines of its detail (control)', async () => {
    const errors = { code: 'ÄRGER_7/b c', message: 'Größe “7” ≠ 8 – 😀 日本語', detail: 'line 1\r\n\tline 2\nline 3' };
    expect(unclean('\u001b\u202e\r')).toHaveLength(3);
    const error = await pass(errors);
    expect(error).toMatchObject({ code: errors.code, detail: errors.detail });
    expect(error.message).toContain(errors.message);
  });

  it('has line ends of its message replaced by blanks', async () => {
    expect((await pass({ code: 'A', message: 'one\r\n  two\n\nthree' })).message).toMatch(/one two three$/);
  });

  it('is bounded: 256 bytes of code, 8 KiB of message (E8)', async () => {
    const error = await pass({ code: 'ä'.repeat(50_000), message: 'ö'.repeat(450_000) });
    expect(bytes(error.code)).toBeLessThanOrEqual(256);
    expect(bytes(error.message)).toBeLessThanOrEqual(8192 + 300);
    expect(error.code).toMatch(/^ä{100,}… \[cut\]$/);
    expect(error.message).toMatch(/ö{4000,}… \[cut\]$/);
  });

  it('has what fits as it is (control)', async () => {
    const errors = { code: 'C'.repeat(256), message: 'm'.repeat(8192) };
    const error = await pass(errors);
    expect(error.code).toBe(errors.code);
    expect(error.message.endsWith(errors.message)).toBe(true);
  });

  it('is cut after its secrets were taken out: a secret that the cut would split is not shown (E5)', async () => {
    const session = 'canary-session-value-3f9a';
    const error = await pass({ code: 'A', message: `${'m'.repeat(8192 - 20)}${session}` }, session);
    expect(error.message).not.toContain('canary');
    expect(error.message).toContain('[redacted]');
  });
});
