const maxNameLength = 100;
const numbered = / \((\d{1,9})\)$/;

/**
 * A name like `name` that none of `taken` has: names stay taken when their keys have ended (rule K3). Numbers begin at 2, or
 * after that of `after`.
 */
export function freeName(name: string, taken: readonly string[], after = ''): string {
  const base = baseName(name);
  for (let number = Number(numbered.exec(after)?.[1] ?? 1) + 1; ; number++) {
    const end = ` (${number})`;
    const candidate = [...base].slice(0, maxNameLength - end.length).join('') + end;
    if (!taken.includes(candidate)) return candidate;
  }
}

/** Without the number that an earlier replacement has given it. */
export function baseName(name: string): string {
  return name.replace(numbered, '');
}
