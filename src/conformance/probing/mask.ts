import { createRedact } from '../../internal/index.js';

export const maskedMark = '[masked]';

/** Shorter values occur in text and in base64 by chance. */
const shortestFound = 8;

/** Whether a value is long enough to be looked for in errors. */
export const canBeFound = (value: string): boolean => value.length >= shortestFound;

/** Whether text shows a value, in whatever way it is written (rule E5). */
export function shows(text: string, value: string): boolean {
  return text.includes(value) || createRedact(secretForms(value))(text) !== text;
}

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
