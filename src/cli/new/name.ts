const longest = 214;
const part = /^[a-z0-9][a-z0-9._-]*$/;

/** Why npm would reject this name, if it does. Of its dependencies (`taken`) none may have the same name: npm refuses that. */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name === '') return 'it is empty';
  if (name.length > longest) return `it is longer than ${longest} characters`;
  if (name === 'node_modules' || name === 'favicon.ico') return 'npm reserves this name';
  if (taken.includes(name)) return 'the connector depends on a package with this name';
  const parts = /^@([^/]*)\/([^/]*)$/.exec(name)?.slice(1) ?? [name];
  if (parts.every((text) => part.test(text))) return undefined;
  return 'it must start with a lowercase letter or a digit, followed by these, "-", "." and "_"';
}

/** The closest valid name; empty when there is none. */
export function suggestName(text: string, taken: readonly string[]): string {
  const name = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, longest)
    .replace(/^[^a-z0-9]+|(?<![^a-z0-9])[^a-z0-9]+$/g, '');
  if (nameProblem(name, taken) === undefined) return name;
  return name === '' ? '' : `${name.slice(0, longest - 10)}-connector`;
}
