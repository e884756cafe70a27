/** Calls a listener that must not fail its caller: what it throws, or rejects with, is ignored. */
export function notify<Parameters extends unknown[]>(
  listener: ((...parameters: Parameters) => unknown) | undefined,
  ...parameters: Parameters
): void {
  try {
    const result = listener?.(...parameters);
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // An error log that fails must not fail what it logs.
  }
}
