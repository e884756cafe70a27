/**
 * Gives an error class its name, its kind and its mark. Literals on the prototype: names survive minifiers, and the mark is the
 * same in every copy of the package.
 */
export function defineError(type: { prototype: object }, name: string, kind?: string): void {
  Object.defineProperty(type.prototype, 'name', { value: name, configurable: true, writable: true });
  if (kind !== undefined) Object.defineProperty(type.prototype, 'kind', { value: kind, configurable: true });
  Object.defineProperty(type.prototype, markOf(name), { value: true });
}

/** Whether a value is an error of the class with this name, from this or another copy of the package. Never throws. */
export function isErrorOf(value: unknown, name: string, kind?: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    const error = value as Record<symbol, unknown> & { kind?: unknown };
    return error[markOf(name)] === true && (kind === undefined || error.kind === kind);
  } catch {
    return false; // a proxy that throws: any value may have been thrown
  }
}

function markOf(name: string): symbol {
  return Symbol.for(`concordat.${name}`);
}
