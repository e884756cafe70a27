type Method = (this: unknown, ...parameters: unknown[]) => Promise<unknown>;

let pending: Set<Promise<unknown>> | undefined;

/** The operations of WebCrypto that have not ended, which no runtime lists: middleware for ETags and tokens uses it. */
export function cryptoWork(): ReadonlySet<unknown> {
  pending ??= watch();
  return pending;
}

/** Watches from the first call on. */
function watch(): Set<Promise<unknown>> {
  const running = new Set<Promise<unknown>>();
  // Not that of `crypto.subtle`: a test may have put an object of its own there, which has the prototype of all objects.
  const prototype = (globalThis.SubtleCrypto?.prototype ?? {}) as unknown as Record<string, Method>;
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const { value: method, ...descriptor } = Object.getOwnPropertyDescriptor(
      prototype,
      name,
    ) as TypedPropertyDescriptor<Method>;
    if (name === 'constructor' || typeof method !== 'function') continue;
    Reflect.defineProperty(prototype, name, {
      ...descriptor,
      value(this: unknown, ...parameters: unknown[]) {
        const result = method.apply(this, parameters);
        if (typeof result?.finally !== 'function') return result; // that of a mock
        // A promise of its own, to leave failures that nobody handles unhandled.
        const watched = result.finally(() => running.delete(watched));
        running.add(watched);
        return watched;
      },
    });
  }
  return running;
}
