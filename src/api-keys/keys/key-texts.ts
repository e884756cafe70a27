import { asShown, normalize } from '../../internal/index.js';
import { type FieldError, type FieldReading, wrongField } from '../api-key-error.js';
import { containsKey } from './key-format.js';

const maxCharacters = 100;
/** Maximum length of a description. */
export const maxDescriptionCharacters = 500;
// Control characters, line separators, lone surrogates, and characters that are invisible or change the text direction:
// two different names must not look the same. U+200C, U+200D and variation selectors are part of words and emoji.
const forbiddenCharacters = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\p{VS}\u200C\u200D])[\p{Cf}\p{DI}]/u;
// An empty Braille cell is blank, though Unicode counts it as a symbol.
const visibleCharacter = /[^\s\u2800\p{Cf}\p{DI}]/u;

/** Names and descriptions are shown, and the audit trail keeps them for ever (rule K2). */
const containsValue = 'must not contain the value of an API key.';

export const nameNotUnique: FieldError = { field: 'name', message: 'API key name must be unique.' };

/** Trims, normalizes (NFC, blanks) and checks a name (rule K3). Case counts. */
export function readName(value: unknown): FieldReading<string> {
  const wrong = (message: string) => wrongField('name', message);
  if (value === undefined || value === null) return wrong('API key name is required.');
  if (typeof value !== 'string') return wrong('API key name must be text.');
  const name = asShown(value);
  if (!visibleCharacter.test(name)) return wrong('API key name is required.');
  if ([...name].length > maxCharacters) return wrong(`API key name cannot exceed ${maxCharacters} characters.`);
  // Of what was given: what is shown has a space for a tab or a line end.
  if (forbiddenCharacters.test(value.trim()))
    return wrong('API key name must not contain control or invisible characters.');
  if (containsKey(name)) return wrong(`API key name ${containsValue}`);
  return { value: name };
}

/** Normalizes (line ends, NFC) and checks a description (rule K3): free text in lines; `''` for none. */
export function readDescription(value: unknown): FieldReading<string> {
  const wrong = (message: string) => wrongField('description', message);
  if (value === undefined || value === null) return { value: '' };
  if (typeof value !== 'string') return wrong('API key description must be text.');
  const text = normalize(value.replace(/\r\n?/g, '\n').trim());
  if ([...text].length > maxDescriptionCharacters) {
    return wrong(`API key description cannot exceed ${maxDescriptionCharacters} characters.`);
  }
  if (forbiddenCharacters.test(text.replace(/[\n\t]/g, ' '))) {
    return wrong('API key description must not contain control or invisible characters.');
  }
  if (containsKey(text)) return wrong(`API key description ${containsValue}`);
  return { value: text };
}
