import { option } from '../../../internal/index.js';
import { type EnglishTexts, englishTexts } from './english.js';

/** The texts of the pages: `englishTexts`, or a translation of it. */
export type AdminTexts = EnglishTexts;

export const textsOption = option<Partial<AdminTexts>>(
  (value) =>
    typeof value === 'object' &&
    value !== null &&
    isLanguage((value as Partial<AdminTexts>).language ?? 'en') &&
    Object.entries(value).every(
      ([name, text]) => Object.hasOwn(englishTexts, name) && fits(text, englishTexts[name as keyof AdminTexts]),
    ),
  'must be texts with the names and the types of those in `englishTexts`',
);

/** Texts of the same kind; records with all their names. */
function fits(text: unknown, english: unknown): boolean {
  if (typeof english !== 'object' || english === null) return typeof text === typeof english;
  if (typeof text !== 'object' || text === null) return false;
  return Object.entries(english).every(([name, one]) => fits((text as Record<string, unknown>)[name], one));
}

function isLanguage(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
