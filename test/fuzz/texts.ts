import * as fc from 'fast-check';
import { anyText } from '../helpers/any-text.js';

/** Texts that have broken something somewhere. */
const odd = fc.constantFrom(
  '',
  ' ',
  '\t',
  '\0',
  '\r\nx-injected: 1',
  '\n',
  '\u001b[31m',
  '\u202e',
  '\ud800',
  '\ufeff',
  '😀',
  'é',
  '%00',
  '%E0%A4%A',
  '../..',
  '__proto__',
  'constructor',
  'toString',
  "' OR '1'='1",
  '<script>',
  '-1',
  '1e999',
  '0x10',
  'NaN',
  '9007199254740993',
);

/** Short text of every sort. */
export const text: fc.Arbitrary<string> = fc.oneof(fc.string(), anyText(), fc.string({ unit: 'grapheme' }), odd);

/** 64 KB of one piece again and again, between a beginning and an end: what a careless pattern tries over and over. */
export function long(pieces: fc.Arbitrary<string>, most = 65_536): fc.Arbitrary<string> {
  return fc
    .record({ head: pieces, piece: pieces, tail: pieces, length: fc.integer({ min: 1000, max: most }) })
    .map(({ head, piece, tail, length }) => head + (piece || ' ').repeat(length / (piece.length || 1)) + tail);
}

const edit = fc.record({
  kind: fc.constantFrom('insert', 'delete', 'replace', 'repeat', 'case', 'cut'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 1, max: 4 }),
  text: fc.oneof(fc.string({ minLength: 1, maxLength: 3 }), odd),
});
export type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;
export const edits: fc.Arbitrary<Edit[]> = fc.array(edit, { minLength: 1, maxLength: 3 });

export function apply(value: string, { kind, at, length, text: inserted }: Edit): string {
  const start = Math.floor(at * value.length);
  const [before, part, after] = [
    value.slice(0, start),
    value.slice(start, start + length),
    value.slice(start + length),
  ];
  switch (kind) {
    case 'insert':
      return before + inserted + part + after;
    case 'delete':
      return before + after;
    case 'replace':
      return before + inserted + after;
    case 'repeat':
      return before + part + part + after;
    case 'case':
      return before + (part === part.toLowerCase() ? part.toUpperCase() : part.toLowerCase()) + after;
    default:
      return before;
  }
}

/** What is right, and what is right but for one to three changes. */
export function mutated(valid: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    valid,
    fc.tuple(valid, edits).map(([value, changes]) => changes.reduce(apply, value)),
  );
}

/** Weighs arbitraries: `[3, text], [1, long(text)]`. */
export function weighted<T>(...choices: [number, fc.Arbitrary<T>][]): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** JSON values as strangers write them, dangerous names included. */
export const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    text,
    fc.double(),
    fc.integer(),
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(text, fc.constantFrom('errors', 'code', 'message', 'key', 'value', 'name')), tie('value'), {
      maxKeys: 3,
    }),
  ),
})).value;

/** Step by step: a pattern for the blanks at the end takes quadratic time, which is what is being looked for. */
export function trimBlanks(value: string, blanks = ' \t'): string {
  let [start, end] = [0, value.length];
  while (start < end && blanks.includes(value[start] as string)) start++;
  while (end > start && blanks.includes(value[end - 1] as string)) end--;
  return value.slice(start, end);
}
