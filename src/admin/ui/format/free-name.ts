const maxNameLength = 100;

/** A name like `name` that none of `taken` has: names stay taken when their keys have ended (rule K3). */
export function freeName(name: string, taken: readonly string[]): string {
  const base = baseName(name);
  for (let number = 2; ; number++) {
    const end = ` (${number})`;
    const candidate = [...base].slice(0, maxNameLength - end.length).join('') + end;
    if (!taken.includes(candidate)) return candidate;
  }
}

/** Without the number that an earlier replacement has given it. */
export function baseName(name: string): string {
  return name.replace(/ \(\d{1,9}\)$/, '');
}
