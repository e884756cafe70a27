/** Parses JSON; `undefined` when the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Turns any value into text for a person: strings as they are, errors with their stack, the rest as JSON if it can be. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    if (value instanceof Error) return value.stack ?? String(value);
    return JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? String(item) : item)) ?? String(value);
  } catch {
    return safeString(value);
  }
}

function safeString(value: unknown): string {
  try {
    return String(value);
  } catch {
    return '[unprintable value]';
  }
}
