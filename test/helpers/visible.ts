import { inspect } from 'node:util';

/** Everything that a value shows of itself, by `util.inspect` and as JSON: hidden members, stacks and chains of causes too. */
export function show(value: unknown): string {
  const seen = new WeakSet<object>();
  const json = JSON.stringify(value, (_key, item) => {
    if (typeof item === 'bigint') return String(item);
    if (typeof item === 'object' && item !== null) {
      if (seen.has(item)) return '[seen]';
      seen.add(item);
      if (item instanceof Error)
        return { ...item, name: item.name, message: item.message, stack: item.stack, cause: item.cause };
    }
    return item;
  });
  return inspect(value, { depth: 30, showHidden: true, maxArrayLength: null, maxStringLength: null }) + json;
}

/** Which of the secrets a text holds, in any form in which one gets into text. */
export function leaksOf(secrets: readonly string[], text: string): string[] {
  return secrets
    .flatMap((value) => [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(value),
      Buffer.from(value).toString('base64').replace(/=+$/, ''),
    ])
    .filter((form) => text.includes(form));
}
