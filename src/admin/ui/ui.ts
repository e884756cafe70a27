import type { Context, Handler, Hono } from 'hono';
import { html } from 'hono/html';
import { type Child, type JSXNode, jsx } from 'hono/jsx';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { AdminContext, HostSignIn } from '../context.js';
import { AdminHttpError } from '../http/errors.js';
import { createLinks, type Links } from './addresses/links.js';
import { createFlashes, type Flashes } from './browser/flash.js';
import { createForms, type Forms } from './browser/forms.js';
import { createHostSessions } from './browser/host-session.js';
import { createOwnSessions, type OwnSessions, type Sessions } from './browser/session.js';
import { createLook, type Look, type Shown, ShownContext } from './look.js';
import { knownPageContext, type PageContext, readPageContext } from './page-context.js';

type Page = (c: Context, pageContext: PageContext) => Response | Promise<Response>;
type Submission = (c: Context, pageContext: PageContext, form: URLSearchParams) => Response | Promise<Response>;

/** What all pages share. */
export interface Ui {
  readonly context: AdminContext;
  readonly links: Links;
  readonly look: Look;
  readonly sessions: Sessions;
  /** `undefined` where the host signs in. */
  readonly ownSessions: OwnSessions | undefined;
  readonly forms: Forms;
  readonly flashes: Flashes;
  /** Adds a page for signed-in users. */
  get(path: string, handler: Page): void;
  /** Adds a form that one of these pages posts. */
  post(path: string, handler: Submission): void;
  /** A handler for signed-in users; others are sent to sign in and come back. */
  signedIn(handler: Page): Handler;
  /** A handler for a form that one of these pages posted. */
  submitted(handler: Submission): Handler;
  /** Responds with a document. One for a signed-in user shows the notice that the last request left. */
  render(c: Context, document: Child, status?: number): Promise<Response>;
}

export function createUi(context: AdminContext, app: Hono): Ui {
  const links = createLinks(context.basePath);
  const { hostSignIn } = context;
  const ownSessions = hostSignIn === undefined ? createOwnSessions(context) : undefined;
  const sessions = ownSessions ?? createHostSessions(context, hostSignIn as HostSignIn);
  const forms = createForms(context);
  const flashes = createFlashes(context);
  const look = createLook(context, links);

  const signedIn: Ui['signedIn'] = (handler) => async (c) => {
    const pageContext = await readPageContext({ context, sessions, forms }, c);
    if (pageContext !== undefined) return await handler(c, pageContext);
    const { pathname, search } = new URL(c.req.url);
    const isHome = pathname === context.basePath || pathname === links.home;
    const returnsHere = c.req.method === 'GET' && !isHome;
    if (hostSignIn !== undefined) return atHost(c, hostSignIn, returnsHere ? pathname + search : links.home);
    if (c.req.method === 'POST') flashes.leave(c, look.texts.staleSignIn);
    return c.redirect(returnsHere ? links.signInAndReturn(pathname + search) : links.signIn, 303);
  };
  const submitted: Ui['submitted'] = (handler) =>
    signedIn(async (c, { session }) => {
      const form = await forms.read(c, session);
      // The form may have been slow to arrive: what ended meanwhile does nothing (rule K11).
      return await signedIn((_, pageContext) => handler(c, pageContext, form))(c, async () => {});
    });
  return {
    context,
    links,
    look,
    sessions,
    ownSessions,
    forms,
    flashes,
    signedIn,
    submitted,
    get: (path, handler) => void app.get(path, signedIn(handler)),
    post: (path, handler) => void app.post(path, submitted(handler)),
    async render(c, document, status = 200) {
      const page = knownPageContext(c);
      const value = { ...look, ...page, flash: page && flashes.take(c) } as Shown;
      const shown = jsx(ShownContext.Provider, { value }, document as JSXNode);
      return await c.html(html`<!doctype html>${shown}`, status as ContentfulStatusCode);
    },
  };
}

function atHost(c: Context, { urlFor }: HostSignIn, returnTo: string): Response {
  // Not for a form, which browsers do not let lead to another origin (`form-action`), as many a sign-in page has.
  const url = c.req.method === 'POST' ? undefined : urlFor(returnTo);
  if (url === undefined) throw new AdminHttpError(401, 'Sign in to this service first, then load this page again.');
  return c.redirect(url, 303);
}
