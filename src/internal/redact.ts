const mark = '[redacted]';

/**
 * Takes secret values out of a text, the longest first so that a value inside another one leaves no remainder.
 * Empty values are ignored: they stand everywhere.
 */
export function redactValues(text: string, secrets: readonly string[]): string {
  let result = text;
  for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
    if (secret !== '' && result.includes(secret)) result = result.replaceAll(secret, mark);
  }
  return result;
}
