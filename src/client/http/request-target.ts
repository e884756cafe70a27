/** Values of a query: arrays repeat the name; `undefined` and `null` leave it out. */
export type QueryValue = string | number | boolean | bigint | Date | null | undefined;
export type Query = URLSearchParams | Readonly<Record<string, QueryValue | readonly QueryValue[]>>;

const anyOrigin = 'http://origin.invalid';

/** Paths and queries that a URL parser leaves as they are, which are most: nothing to encode, no "." to resolve. */
const literal = /^(?:\/(?!\.)[\w.~!$&()*+,;=:@-]*)+(?:\?[\w.~!$&()*+,;=:@/?%-]*)?$/;

/**
 * Joins base path, path and query to what goes on the request line.
 *
 * @throws TypeError when the path is not one below the base URL, as {@link checkPath} says.
 */
export function toTarget(basePath: string, path: string, query: Query | undefined): string {
  if (query === undefined && typeof path === 'string' && literal.test(path) && !path.endsWith('?')) {
    return basePath + path;
  }
  const url = new URL(anyOrigin + basePath + checkPath(path, 'path'));
  const search = toSearch(query);
  if (search === '') return url.pathname + url.search;
  return `${url.pathname}${url.search === '' ? '?' : `${url.search}&`}${search}`;
}

/** `.` and `..` as segments, in every way that a URL parser reads them. */
const dotSegment = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Refuses what a URL parser would resolve, drop or cut in silence: none of it is what the caller meant to send.
 *
 * @throws TypeError naming the option.
 */
export function checkPath(path: unknown, option: string): string {
  if (typeof path !== 'string' || !path.startsWith('/')) {
    const given = JSON.stringify(path);
    throw new TypeError(
      `\`${option}\` must be a path that starts with "/" and is joined to \`baseUrl\`, got ${given}.`,
    );
  }
  if (path.includes('#')) throw new TypeError(`\`${option}\` must not contain "#": write it as %23.`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused; a URL parser drops some in silence
  if (/[\u0000-\u001f\u007f\\]/.test(path)) {
    throw new TypeError(
      `\`${option}\` must not contain control characters or backslashes: encode them with encodeURIComponent().`,
    );
  }
  if (dotSegment.test(withoutQuery(path))) {
    throw new TypeError(
      `\`${option}\` must not have "." or ".." as a segment, encoded or not: it would lead elsewhere.`,
    );
  }
  return path;
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
