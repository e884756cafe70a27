import { withoutTrailingSlashes } from '../../internal/index.js';
import { objectAt } from './document.js';

/** What comes before the paths of a server: the path of its URL, less what the base URL has of it already. */
export function pathPrefix(server: unknown, baseUrl: string): string {
  const url = urlOf(server);
  if (url === undefined || !URL.canParse(url, baseUrl)) return '';
  const base = withoutTrailingSlashes(new URL(baseUrl).pathname);
  const path = withoutTrailingSlashes(new URL(url, baseUrl).pathname);
  return path.startsWith(`${base}/`) ? path.slice(base.length) : '';
}

/** The URL with the defaults of its variables; `undefined` if one has none. */
function urlOf(server: unknown): string | undefined {
  const { url, variables } = objectAt(server);
  if (typeof url !== 'string') return undefined;
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (variable, name: string) =>
    String(objectAt(objectAt(variables)[name]).default ?? variable),
  );
  return filled.includes('{') ? undefined : filled;
}
