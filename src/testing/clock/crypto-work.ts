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
  const subtle: object | undefined = globalThis.crypto?.subtle;
  const prototype = subtle === undefined ? {} : (Object.getPrototypeOf(subtle) as Record<string, Method>);
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
        const settled = () => running.delete(result);
        running.add(result);
        result.then(settled, settled);
        return result;
      },
    });
  }
  return running;
}
