/**
 * A listener that cannot fail its caller.
 *
 * @param onFailure gets what the listener throws or rejects with, which is ignored by default.
 */
export function quiet<Parameters extends unknown[]>(
  listener: ((...parameters: Parameters) => unknown) | undefined,
  onFailure: (error: unknown) => void = () => {},
): (...parameters: Parameters) => void {
  return (...parameters) => {
    try {
      const result = listener?.(...parameters);
      if (result instanceof Promise) result.catch(onFailure);
    } catch (error) {
      onFailure(error);
    }
  };
}
