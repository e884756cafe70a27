import { createRedact } from '../../internal/index.js';

export const maskedMark = '[masked]';

/** Shorter values occur in text and in base64 by chance. */
const shortestFound = 8;

/** Whether a value is long enough to be looked for in errors. */
export const canBeFound = (value: string): boolean => value.length >= shortestFound;

/** Whether text shows a value, in whatever way it is written (rule E5). */
export function shows(text: string, value: string): boolean {
  return (canBeFound(value) && text.includes(value)) || createRedact(secretForms(value))(text) !== text;
}

/** Errors may use such a word for something else ("Wrong password"), and such a number. */
const ordinary = /^(?:[A-Za-z]?[a-z]{1,14}|\d{1,15})$/;

/** Whether text shows a parameter of a login: an ordinary word only where it can be nothing else, such as `password=wrong`. */
export function showsParameter(text: string, key: string, value: string): boolean {
  if (!ordinary.test(value)) return shows(text, value);
  if (createRedact(canBeFound(value) ? base64Forms(value) : [])(text) !== text) return true;
  const name = key.replace(/\W/g, String.raw`\$&`);
  const places = [
    `(["'\`])${value}\\1(?!\\s*:)`,
    `=${value}(?![\\w-])`,
    `:${value}@`,
    `${name}["']?\\s*:\\s*${value}(?!\\w)`,
  ];
  return new RegExp(places.join('|')).test(text);
}

/** Values that are too short to be looked for at all (decision 10). */
export const isTooShort = (value: string): boolean => value.trim().length < 4;

/** A value, and how base64 writes it, such as inside Basic credentials (rule E5). */
function secretForms(value: string): string[] {
  return [value, ...(canBeFound(value) ? base64Forms(value) : [])];
}

/** The digits that only the value decides, after each number of bytes that can stand before it. */
function base64Forms(value: string): string[] {
  const bytes = new TextEncoder().encode(value);
  return [0, 1, 2].flatMap((before) => {
    const text = Array.from([...new Uint8Array(before), ...bytes], (byte) => String.fromCharCode(byte)).join('');
    const digits = btoa(text).slice(Math.ceil((before * 8) / 6), Math.floor((text.length * 8) / 6));
    return [digits, digits.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** The secrets of one run; logins add to them. */
export class Secrets {
  readonly #values = new Set<string>();

  add(value: string): void {
    this.#values.add(value.trim());
  }

  mask(text: string): string {
    return createRedact([...this.#values].flatMap(secretForms), maskedMark)(text);
  }
}
