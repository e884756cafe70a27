/** What is shown in the place of a secret. */
export const maskedMark = '[masked]';

/** Shorter values are masked where they stand as a whole value, not inside of text: there would be nothing left to read. */
const shortestInText = 4;

/** The secrets of one run: grows while it logs in, so that what was seen is masked when it is shown. */
export class Secrets {
  readonly #values = new Set<string>();

  add(value: string): void {
    const trimmed = value.trim();
    if (trimmed.length >= shortestInText) this.#values.add(trimmed);
  }

  /** The secrets that stand in a text, in any of the forms in which JSON and URLs write them. */
  foundIn(text: string, shortest = 8): string[] {
    return [...this.#values].filter(
      (value) => value.length >= shortest && writtenForms(value).some((form) => text.includes(form)),
    );
  }

  mask(text: string): string {
    const forms = [...this.#values].flatMap(writtenForms).sort((one, other) => other.length - one.length);
    let masked = text;
    for (const form of forms) masked = masked.replaceAll(form, maskedMark);
    return masked;
  }
}

function writtenForms(value: string): string[] {
  const forms = [value, JSON.stringify(value).slice(1, -1)];
  try {
    forms.push(encodeURIComponent(value), new URLSearchParams([['', value]]).toString().slice(1));
  } catch {
    // A lone surrogate has no URL form.
  }
  return [...new Set(forms)];
}
