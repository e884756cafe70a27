import { describeValue } from '../../internal/index.js';
import type { ConnectorRequest, PagesOptions } from '../client-types.js';
import { RequestError } from '../errors.js';
import type { ConnectorResponse } from '../http/read-success.js';
import { checkPath, type Query, toPath, toSearch, toTarget, withoutQuery } from '../http/request-target.js';

/** The pages of a list. @throws TypeError at once if `next` is missing. */
export function readPages<Data>(
  request: (request: ConnectorRequest<Data>) => Promise<ConnectorResponse<Data>>,
  firstPath: string,
  pages: PagesOptions<Data>,
  base: { origin: string; basePath: string },
): AsyncGenerator<Data, void, undefined> {
  if (typeof pages?.next !== 'function') {
    throw new TypeError('`next` must be a function that returns where the page after a given one is.');
  }
  const { next, ...options } = pages;
  return read();

  async function* read(): AsyncGenerator<Data, void, undefined> {
    const seen = new Set<string>();
    let path = firstPath;
    let query: Query | undefined = options.query;
    for (;;) {
      const address = toTarget(base.basePath, toPath(path, base), query);
      if (seen.has(address)) {
        const message = `after ${seen.size} ${seen.size === 1 ? 'page' : 'pages'}, \`next\` led back to an earlier page`;
        const shown = withoutQuery(toPath(path, base));
        throw new RequestError(message, { code: 'PAGE_LOOP', request: { method: 'GET', path: shown } });
      }
      seen.add(address);
      const response = await request({ ...options, query, method: 'GET', path } as ConnectorRequest<Data>);
      yield response.data;
      const following = await next(response.data, response);
      if (!following) return;
      if (typeof following === 'string' || following instanceof URL) {
        const link = toPath(String(following), base, 'next()');
        if (!link.startsWith('/')) throw wrongNext(JSON.stringify(link));
        [path, query] = [checkPath(link, 'next()'), undefined];
      } else if (typeof following !== 'object' || Array.isArray(following)) throw wrongNext(describeValue(following));
      else {
        path = toPath(path, base);
        const start = withoutQuery(path);
        if (following instanceof URLSearchParams) {
          [path, query] = [start, following];
          continue;
        }
        const names = new Set(Object.keys(following));
        const kept = without(names, path.slice(start.length + 1));
        path = kept === '' ? start : `${start}?${kept}`;
        query = new URLSearchParams(`${without(names, toSearch(query))}&${toSearch(following)}`);
      }
    }
  }
}

function wrongNext(value: string): TypeError {
  const expected = 'query values, such as { cursor }, a link from "/" on or below `baseUrl`, or nothing';
  return new TypeError(`\`next\` returned ${value}; it must return ${expected}`);
}

/** A query without these names; the rest stays as it is written. */
function without(names: ReadonlySet<string>, search: string): string {
  const isKept = (pair: string) => ![...new URLSearchParams(pair).keys()].some((name) => names.has(name));
  return search.split('&').filter(isKept).join('&');
}
