import { countUpTo } from './numbers.js';

/** A text as its reader sees it. */
export interface Reading {
  readonly plain: string;
  /** Where a place in it was written. */
  origin(index: number): number;
}

const jsonEscape = /\\(?:u[\dA-Fa-f]{4}|["\\/bfnrt])/g;
/** XML's own entities and no others. */
export const xmlEscape = /&(?:#\d{1,7}|#[Xx][\dA-Fa-f]{1,6}|amp|lt|gt|quot|apos);/g;
/** A byte of ASCII, or the two to four of another character. */
const urlEscape =
  /%(?:[0-7]|(?:[CDcd][\dA-Fa-f]|[Ee][\dA-Fa-f]%[89ABab][\dA-Fa-f]|[Ff][0-7](?:%[89ABab][\dA-Fa-f]){2})%[89ABab])[\dA-Fa-f]/g;
const anyEscape = new RegExp([jsonEscape, xmlEscape, urlEscape].map(({ source }) => source).join('|'), 'g');

/** As deep as texts are quoted in texts. */
const deepest = 3;

/** The text as it is, and unescaped up to three times: by one sort of escapes, since a secret may hold the others, and by all. */
export function* readings(text: string): Generator<Reading> {
  const written: Reading = { plain: text, origin: (index) => index };
  yield written;
  for (const escapes of [jsonEscape, xmlEscape, urlEscape, anyEscape]) {
    let reading = unescapeOnce(written, escapes);
    for (let depth = 1; reading !== undefined; depth++) {
      yield reading;
      reading = depth < deepest ? unescapeOnce(reading, escapes) : undefined;
    }
  }
}

/** @returns `undefined` if there is nothing to unescape. */
function unescapeOnce({ plain, origin }: Reading, escapes: RegExp): Reading | undefined {
  /** Where each escape ends in the new text, and by how much the text up to there was longer. */
  const ends: number[] = [];
  const shifts: number[] = [];
  let shift = 0;
  const unescaped = plain.replace(escapes, (escaped: string, index: number) => {
    const character = readEscape(escaped);
    ends.push(index - shift + character.length);
    shift += escaped.length - character.length;
    shifts.push(shift);
    return character;
  });
  if (ends.length === 0) return undefined;
  return { plain: unescaped, origin: (index) => origin(index + (shifts[countUpTo(ends, index) - 1] ?? 0)) };
}

const named: Readonly<Record<string, string>> = {
  '\\b': '\b',
  '\\f': '\f',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
};

/** The character for which an escape stands, or the escape itself if there is no such character. */
export function readEscape(escaped: string): string {
  const character = named[escaped];
  if (character !== undefined) return character;
  if (escaped.length === 3 && escaped.startsWith('%')) return String.fromCharCode(fromHex(escaped.slice(1)));
  if (escaped.startsWith('%')) return new TextDecoder().decode(Uint8Array.from(escaped.slice(1).split('%'), fromHex));
  if (escaped.startsWith('\\u')) return String.fromCharCode(fromHex(escaped.slice(2)));
  if (escaped.startsWith('\\')) return escaped.slice(1);
  const code = /x/i.test(escaped) ? fromHex(escaped.slice(3, -1)) : Number(escaped.slice(2, -1));
  return code > 0x10ffff ? escaped : String.fromCodePoint(code);
}

const fromHex = (digits: string) => Number.parseInt(digits, 16);

/** Decodes percent-encoding; text that is not valid stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
