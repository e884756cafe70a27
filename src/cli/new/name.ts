const longest = 214;
const part = /^[a-z0-9][a-z0-9._-]*$/;

/**
 * Why npm would not take this for the name of a package; `undefined` when it does.
 *
 * @param taken names of packages that it will depend on: npm installs no package in one of the same name.
 */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name === '') return 'it is empty';
  if (name.length > longest) return `it is longer than ${longest} characters`;
  if (name === 'node_modules' || name === 'favicon.ico') return 'npm keeps this name for itself';
  if (taken.includes(name)) return 'the connector depends on a package of this name';
  const parts = /^@([^/]*)\/([^/]*)$/.exec(name)?.slice(1) ?? [name];
  if (parts.every((text) => part.test(text))) return undefined;
  return 'it has to begin with a small letter or a digit, and go on with these and with "-", "." and "_"';
}

/** The nearest name that npm takes; empty when there is none. */
export function suggestName(text: string, taken: readonly string[]): string {
  const name = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .slice(0, longest)
    .replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, '');
  if (nameProblem(name, taken) === undefined) return name;
  return name === '' ? '' : `${name.slice(0, longest - 10)}-connector`;
}
