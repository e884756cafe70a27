/** Values of a query: arrays repeat the name; `undefined` and `null` leave it out. */
export type QueryValue = string | number | boolean | bigint | Date | null | undefined;
export type Query = URLSearchParams | Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

const anyOrigin = 'http://origin.invalid';

/** Paths and queries that a URL parser leaves as they are, which are most: nothing to encode, no "." to resolve. */
const literal = /^(?:\/(?!\.)[\w.~!$&()*+,;=:@-]*)+(?:\?[\w.~!$&()*+,;=:@/?%-]*)?$/;

/**
 * Joins base path, path and query to what goes on the request line.
 *
 * @throws TypeError when the path would leave the base URL or lose a part on the way.
 */
export function toTarget(basePath: string, path: string, query: Query | undefined): string {
  if (query === undefined && typeof path === 'string' && literal.test(path) && !path.endsWith('?')) {
    return basePath + path;
  }
  if (typeof path !== 'string' || !path.startsWith('/')) {
    throw new TypeError(`\`path\` must start with "/" and is joined to \`baseUrl\`, got ${JSON.stringify(path)}.`);
  }
  if (path.includes('#')) throw new TypeError('`path` must not contain "#": write it as %23.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused; a URL parser drops some in silence
  if (/[\u0000-\u001f\u007f\\]/.test(path)) {
    throw new TypeError(
      '`path` must not contain control characters or backslashes: encode them with encodeURIComponent().',
    );
  }
  const url = new URL(anyOrigin + basePath + path);
  if (!url.pathname.startsWith(`${basePath}/`)) {
    throw new TypeError('`path` must stay below `baseUrl`: it has too many ".." in it.');
  }
  const search = toSearch(query);
  if (search === '') return url.pathname + url.search;
  return `${url.pathname}${url.search === '' ? '?' : `${url.search}&`}${search}`;
}

function toSearch(query: Query | undefined): string {
  if (query === undefined) return '';
  if (query instanceof URLSearchParams) return query.toString();
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? (value as readonly QueryValue[]) : [value as QueryValue]) {
      if (item !== undefined && item !== null) {
        parameters.append(name, item instanceof Date ? item.toISOString() : String(item));
      }
    }
  }
  return parameters.toString();
}

/** The path as errors and events show it: values of a query may be secret (rule S7). */
export function withoutQuery(path: string): string {
  const end = path.indexOf('?');
  return end < 0 ? path : path.slice(0, end);
}
