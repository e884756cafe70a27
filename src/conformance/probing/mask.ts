import { writtenForms } from '../../internal/index.js';

export const maskedMark = '[masked]';

/** Shorter values are not masked inside text: nothing readable would be left. */
const shortestInText = 4;

/** The secrets of one run; logins add to them. */
export class Secrets {
  readonly #values = new Set<string>();

  add(value: string): void {
    const trimmed = value.trim();
    if (trimmed.length >= shortestInText) this.#values.add(trimmed);
  }

  mask(text: string): string {
    const forms = [...this.#values]
      .flatMap((value) => [...writtenForms(value)])
      .sort((one, other) => other.length - one.length);
    let masked = text;
    for (const form of forms) masked = masked.replaceAll(form, maskedMark);
    return masked;
  }
}
