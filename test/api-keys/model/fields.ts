import type { FieldError } from 'concordat/api-keys';

/** What the rules make of one field: its stored form, or the messages that may refuse it (`undefined`: any message). */
export type Read<T> = { readonly value: T } | { readonly refused: string | undefined };

const futureMessage = 'Expiry date must be a future datetime.';
const yearMessage = 'Expiration date cannot exceed 1 year from today.';
export const takenMessage = 'API key name must be unique.';

const dayMs = 24 * 3600 * 1000;
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}]/u;
const partsOfWords = /\u200c|\u200d|\p{Variation_Selector}/gu;

/** K3: whether a text has an invisible character; those that are part of words and emoji are allowed. */
const hides = (text: string) => invisible.test(text.replaceAll(partsOfWords, ''));

/** A character of its own, and not the empty cell of Braille, which is a blank. */
const isBlank = (text: string) => /^[\s\u2800]*$/.test(text.replaceAll(partsOfWords, ''));

/** K3: trimmed, in NFC, with single spaces, 1 to 100 characters, none of them a control character or invisible. */
export function readName(input: unknown): Read<string> {
  if (typeof input !== 'string') return { refused: undefined };
  const name = input
    .trim()
    .normalize('NFC')
    .replaceAll(/\p{Space_Separator}+/gu, ' ');
  const length = [...name].length;
  return isBlank(name) || length > 100 || hides(name) ? { refused: undefined } : { value: name };
}

/** K3: lines of at most 500 characters altogether, or none. */
export function readDescription(input: unknown): Read<string | null> {
  if (input === null || input === undefined) return { value: null };
  if (typeof input !== 'string') return { refused: undefined };
  const text = input.replaceAll(/\r\n?/g, '\n').trim().normalize('NFC');
  if (text === '') return { value: null };
  return [...text].length > 500 || hides(text.replaceAll(/[\n\t]/g, '')) ? { refused: undefined } : { value: text };
}

/** K4: the last millisecond (UTC) of the same day one calendar year on; a year after 29 February is 28 February. */
export function latestExpiry(nowMs: number): number {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getUTCFullYear() + 1, now.getUTCMonth(), now.getUTCDate()];
  const lastOfMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(day, lastOfMonth)) + dayMs - 1;
}

const time = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):(\d\d)))?$/;

/** An instant of ISO 8601 with its zone, or the first and last millisecond of a bare date. */
export function readTime(input: unknown): { readonly firstMs: number; readonly lastMs: number } | undefined {
  if (input instanceof Date) {
    const ms = input.getTime();
    return Number.isNaN(ms) ? undefined : { firstMs: ms, lastMs: ms };
  }
  const parts = typeof input === 'string' ? time.exec(input) : null;
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map((part) => Number(part ?? 0));
  const midnight = Date.UTC(year!, month! - 1, day!);
  const sameDay = new Date(midnight).getUTCDate() === day && new Date(midnight).getUTCMonth() === month! - 1;
  if (!sameDay || hour! > 23 || minute! > 59 || second! > 59) return undefined;
  if (parts[4] === undefined) return { firstMs: midnight, lastMs: midnight + dayMs - 1 };
  const millis = Math.floor(Number(`0.${parts[7] ?? 0}`) * 1000 + 1e-9);
  const zoneMs = (Number(parts[9] ?? 0) * 60 + Number(parts[10] ?? 0)) * 60_000 * (parts[8] === '-' ? -1 : 1);
  const ms = midnight + ((hour! * 60 + minute!) * 60 + second!) * 1000 + millis - zoneMs;
  return { firstMs: ms, lastMs: ms };
}

/** K4: later than now, and at most a year ahead; a bare date is its end. */
export function readExpiry(input: unknown, nowMs: number): Read<number> {
  const at = readTime(input);
  if (at === undefined) return { refused: undefined };
  if (at.lastMs <= nowMs) return { refused: futureMessage };
  return at.lastMs > latestExpiry(nowMs) ? { refused: yearMessage } : { value: at.lastMs };
}

/** K13: one entry for each wrong field, and a message made of all of them. */
export function isRefusalOf(
  wrong: ReadonlyMap<string, string | undefined>,
  fieldErrors: readonly FieldError[],
  message: string,
): boolean {
  return (
    fieldErrors.length === wrong.size &&
    fieldErrors.every(
      ({ field, message: text }) =>
        wrong.has(field) && text !== '' && (wrong.get(field) ?? text) === text && message.includes(text),
    )
  );
}
