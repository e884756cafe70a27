import { decodePercent } from '../../internal/index.js';
import type { JournalEntry } from '../types.js';

/** A parsed route: `GET /issues/:id`, `/issues`, `POST`, `GET /files/*`, `login` or `cleanup`. */
export interface Pattern {
  readonly text: string;
  readonly kind: JournalEntry['kind'];
  /** The parameters of the path; `undefined` when the request does not match. */
  match(request: { kind: JournalEntry['kind']; method: string; path: string }): Record<string, string> | undefined;
}

const written = /^(?:([A-Z]+)(?: +(\/\S*))?|(\/\S*))$/;

/** @throws TypeError naming the option when the text is not a route. */
export function parsePattern(text: unknown, option: string): Pattern {
  if (text === 'login' || text === 'cleanup') {
    return { text, kind: text, match: (request) => (request.kind === text ? {} : undefined) };
  }
  const [, method, pathAfterMethod, pathAlone] = written.exec(typeof text === 'string' ? text : '') ?? [];
  const path = pathAfterMethod ?? pathAlone;
  if (method === undefined && path === undefined) {
    const route = option === 'routes' ? 'a route' : "'login', 'cleanup' or a route";
    throw new TypeError(`\`${option}\` must be ${route} such as 'GET /issues/:id', got ${JSON.stringify(text)}.`);
  }
  const [withoutQuery, query] = (text as string).split('?', 2);
  if (query !== undefined) {
    throw new TypeError(
      `\`${option}\` must be without the query "?${query}": write "${withoutQuery}", and look at \`query\` in a function.`,
    );
  }
  if (path?.includes('#')) throw new TypeError(`\`${option}\` must be without a fragment: no request has one.`);
  const matchPath = path === undefined ? () => ({}) : pathMatcher(path);
  return {
    text: text as string,
    kind: 'request',
    match(request) {
      if (request.kind !== 'request' || (method !== undefined && method !== request.method)) return undefined;
      return matchPath(request.path);
    },
  };
}

/** The default: every request except logins and cleanups. */
export const anyRequest: Pattern = {
  text: 'any request',
  kind: 'request',
  match: (request) => (request.kind === 'request' ? {} : undefined),
};

function pathMatcher(path: string): (actual: string) => Record<string, string> | undefined {
  const names: string[] = [];
  // Requests have their paths percent-encoded.
  const source = new URL(`http://connector${path}`).pathname.replace(
    /:([A-Za-z_]\w*)|\*$|[\\^$.*+?()[\]{}|]/g,
    (part, name?: string) => {
      if (name !== undefined) names.push(name);
      if (name !== undefined) return '([^/]+)';
      return part === '*' ? '.*' : `\\${part}`;
    },
  );
  const expression = new RegExp(`^${source}$`);
  return (actual) => {
    const found = expression.exec(actual);
    return found === null
      ? undefined
      : Object.fromEntries(names.map((name, index) => [name, decodePercent(found[index + 1] ?? '')]));
  };
}
