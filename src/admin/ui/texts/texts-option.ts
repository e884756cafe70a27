import { anyObject, notAnOption } from '../../../internal/index.js';
import { type EnglishTexts, englishTexts } from './english.js';

/** The texts of the pages: `englishTexts`, or a translation of it. */
export type AdminTexts = EnglishTexts;

const names = Object.keys(englishTexts);

export const textsOption = anyObject<Partial<AdminTexts>>().superRefine((texts, context) => {
  const unknown = Object.keys(texts).filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    context.addIssue({ code: 'unrecognized_keys', keys: unknown, message: notAnOption(unknown, names) });
  }
  for (const [name, text] of Object.entries(texts)) {
    const message = names.includes(name) ? problemOf(name as keyof AdminTexts, text) : undefined;
    if (message !== undefined) context.addIssue({ code: 'custom', path: [name], message });
  }
});

function problemOf(name: keyof AdminTexts, text: unknown): string | undefined {
  if (!fits(text, englishTexts[name])) return 'must have the type, and all parts, of the one in `englishTexts`';
  if (name === 'language' && !isLanguage(text as string)) return 'must be a language tag such as `de`';
  return undefined;
}

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
