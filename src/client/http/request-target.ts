import { checkText, isObject } from '../../internal/index.js';

/** A value in a query. Arrays repeat the name; `undefined` and `null` leave it out. */
export type QueryValue = string | number | boolean | bigint | Date | null | undefined;
/** An object of {@link QueryValue}s and arrays of them. Checked at call time, so that interfaces fit. */
export type Query = URLSearchParams | object;

const anyOrigin = 'http://origin.invalid';

/** Matches paths and queries that a URL parser would not change: nothing to encode, no "." to resolve. */
const literal = /^(?:\/(?!\.)[\w.~!$&()*+,;=:@-]*)+(?:\?[\w.~!$&()*+,;=:@/?%-]*)?$/;

/**
 * Joins base path, path and query to the target on the request line.
 *
 * @throws TypeError if the path is not below the base URL, as {@link checkPath} says.
 */
export function toTarget(basePath: string, path: string, query: Query | undefined): string {
  if (query === undefined && typeof path === 'string' && literal.test(path) && !path.endsWith('?')) {
    return basePath + path;
  }
  const search = toSearch(query);
  const url = new URL(anyOrigin + basePath + checkPath(path, 'path'));
  if (search === '') return url.pathname + url.search;
  return `${url.pathname}${url.search === '' ? '?' : `${url.search}&`}${search}`;
}

/** `.` and `..` as segments, in every spelling that a URL parser accepts. */
const dotSegment = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

/**
 * Refuses what a URL parser would silently resolve or drop: the caller did not mean that.
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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: refused here, because a URL parser silently drops some
  if (/[\u0000-\u001f\u007f\\]/.test(path)) {
    throw new TypeError(
      `\`${option}\` must not contain control characters or backslashes: encode them with encodeURIComponent().`,
    );
  }
  if (dotSegment.test(withoutQuery(path))) {
    throw new TypeError(
      `\`${option}\` must not have "." or ".." as a segment, encoded or not: it would change the path.`,
    );
  }
  return checkText(path, `\`${option}\``);
}

/**
 * @throws TypeError naming a value that cannot be written: without it, the query would mean something else (rule D1).
 */
export function toSearch(query: Query | undefined): string {
  if (query === undefined) return '';
  if (Object.prototype.toString.call(query) === '[object URLSearchParams]') return String(query);
  if (!isObject(query) || Symbol.iterator in query || query instanceof Date || query instanceof Promise) {
    throw new TypeError('`query` must be a URLSearchParams or an object of names and values.');
  }
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    checkText(name, 'A name in `query`');
    if (Array.isArray(value) && value.length === 0) {
      throw new TypeError(`\`query.${name}\` is an empty array; use undefined to leave it out.`);
    }
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) parameters.append(name, toText(item, name));
    }
  }
  return parameters.toString();
}

function toText(value: unknown, name: string): string {
  if (typeof value === 'string' && value.isWellFormed()) return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  const what = describe(value);
  throw new TypeError(
    `\`query.${name}\` cannot be written: it must be text, a finite number, a boolean, a bigint, a valid Date, or an array of these, and holds ${what}.`,
  );
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'an array in an array';
  if (typeof value === 'string') return 'half of a character (a lone surrogate)';
  if (typeof value !== 'object') return String(value);
  if (value instanceof Date) return 'an invalid Date';
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return kind === 'Object' ? 'an object' : `a ${kind}`;
}

const absolute = /^https?:\/\/[^/?#\\]*/i;

/**
 * The path of a URL below `baseUrl`, such as a link to the next page; a path is returned as it is. Session headers go
 * nowhere else.
 *
 * @throws TypeError for a URL that is not below `baseUrl` and for a value that is not a string.
 */
export function toPath(path: string, base: { origin: string; basePath: string }, option = 'path'): string {
  if (typeof path !== 'string') return checkPath(path, option);
  if (path.startsWith('/')) return path;
  const authority = absolute.exec(path)?.[0];
  if (authority === undefined) return path;
  const rest = path.slice(authority.length);
  const { basePath, origin } = base;
  const isBelow = rest.startsWith(`${basePath}/`) || (basePath === '' && !/^[^?]/.test(rest));
  if (authority.includes('@') || !URL.canParse(authority) || new URL(authority).origin !== origin || !isBelow) {
    throw new TypeError(`\`${option}\` must be a path or a URL below \`baseUrl\` (${origin}${basePath}/).`);
  }
  const below = rest.slice(basePath.length);
  return below.startsWith('/') ? below : `/${below}`;
}

/** The path as errors and events show it: query values may be secret (rule S7). */
export function withoutQuery(path: string): string {
  const end = path.indexOf('?');
  return end < 0 ? path : path.slice(0, end);
}
