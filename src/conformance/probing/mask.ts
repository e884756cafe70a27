import { writtenForms } from '../../internal/index.js';

export const maskedMark = '[masked]';

/** Shorter values are not masked inside text: nothing readable would be left. */
const shortestInText = 4;

/** Shorter values occur in text and in base64 by chance. */
const shortestFound = 8;

/** Whether a value is long enough to be looked for in errors. */
export const canBeFound = (value: string): boolean => value.length >= shortestFound;

/** Whether text shows a value, in whatever way it is written (rule E5). */
export function shows(text: string, value: string): boolean {
  return secretForms(value).some((form) => text.includes(form));
}

/** A value as it is, as JSON and URLs write it, and in base64, such as inside Basic credentials (rule E5). */
function secretForms(value: string): string[] {
  const forms = [...writtenForms(value)];
  const small = forms.map((form) => form.replace(/%[\dA-F]{2}/g, (byte) => byte.toLowerCase()));
  return [...new Set([...forms, ...small, ...(canBeFound(value) ? base64Forms(value) : [])])];
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
    const trimmed = value.trim();
    if (trimmed.length >= shortestInText) this.#values.add(trimmed);
  }

  mask(text: string): string {
    const forms = [...this.#values].flatMap(secretForms).sort((one, other) => other.length - one.length);
    let masked = text;
    for (const form of forms) masked = masked.replaceAll(form, maskedMark);
    return masked;
  }
}
