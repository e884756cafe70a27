import { UnauthorizedError } from '../../contract/index.js';
import { option } from '../../internal/index.js';
import { type EndSystemRequest, nameRequest } from './failure.js';
import { matches } from './read-body.js';

export type LoginPage = RegExp | 'html';

export const loginPageOption = option<LoginPage>(
  (value) => value instanceof RegExp || value === 'html',
  "must be a pattern, or 'html'",
);

export function isLoginPage(response: Response, request: EndSystemRequest, loginPage: LoginPage): boolean {
  if (loginPage === 'html')
    return (
      response.status < 400 &&
      matches(response.headers.get('content-type'), /^\s*(?:text\/html|application\/xhtml\+xml)\b/i)
    );
  return matches(redirectTarget(response, request), loginPage);
}

/** The target of a redirect, without its query, whether fetch has followed it or not. */
function redirectTarget({ status, url, redirected, headers }: Response, request: EndSystemRequest): string | undefined {
  const location = status >= 300 && status < 400 ? headers.get('location') : null;
  if (location === null && !redirected) return undefined;
  try {
    const { origin, pathname } = new URL(location ?? url, url || request.url);
    return origin + pathname;
  } catch {
    return undefined;
  }
}

/** The error has no detail: the page is for a browser. */
export function loginNeeded(request: EndSystemRequest): UnauthorizedError {
  return new UnauthorizedError(`${nameRequest(request)}: the end system responded with its login page.`);
}
