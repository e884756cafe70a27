import type { FieldError, FieldReading } from '../api-key-error.js';

const field = 'name';
const maxCharacters = 100;
// Control characters, line separators, lone surrogates, and characters that are invisible or change the text direction:
// two different names must not look the same. U+200C and U+200D are part of words and emoji.
const forbiddenCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200C\u200D])\p{Cf}/u;
const visibleCharacter = /[^\s\p{Cf}]/u;

export const nameNotUnique: FieldError = { field, message: 'API key name must be unique.' };

/** Trims, normalises (NFC) and checks a name (rule K3). Case counts. */
export function readName(value: unknown): FieldReading<string> {
  if (value === undefined || value === null) return wrong('API key name is required.');
  if (typeof value !== 'string') return wrong('API key name must be text.');
  const name = value.trim().normalize('NFC');
  if (!visibleCharacter.test(name)) return wrong('API key name is required.');
  if ([...name].length > maxCharacters) return wrong(`API key name cannot exceed ${maxCharacters} characters.`);
  if (forbiddenCharacters.test(name)) return wrong('API key name must not contain control or invisible characters.');
  return { value: name };
}

/** The form in which names are searched and sorted: case and compatibility variants do not matter. */
export function foldForSearch(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function wrong(message: string): FieldReading<never> {
  return { error: { field, message } };
}
