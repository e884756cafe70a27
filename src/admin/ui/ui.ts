import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { type Child, type JSXNode, jsx } from 'hono/jsx';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { AdminContext, HostSignIn } from '../context.js';
import { AdminHttpError } from '../http/errors.js';
import { createLinks, returnPathOf } from './addresses/links.js';
import { createFlashes } from './browser/flash.js';
import { createForms, ExpiredForm } from './browser/forms.js';
import { createHostSessions } from './browser/host-session.js';
import { createOwnSessions } from './browser/session.js';
import { createLook, type Shown, ShownContext } from './look.js';
import { knownPageContext, type PageContext, readPageContext } from './page-context.js';

type Page = (c: Context, pageContext: PageContext) => Response | Promise<Response>;
export type Submission = (c: Context, pageContext: PageContext, form: URLSearchParams) => Response | Promise<Response>;

/** The host's sign-in page, where a request that was not signed in gets no redirect. */
export const signInAddress = 'signInAddress';

export type Ui = ReturnType<typeof createUi>;

/** What all pages share. */
export function createUi(context: AdminContext, app: Hono) {
  const links = createLinks(context.basePath);
  const { hostSignIn } = context;
  const ownSessions = hostSignIn === undefined ? createOwnSessions(context) : undefined;
  const sessions = ownSessions ?? createHostSessions(context, hostSignIn as HostSignIn);
  const forms = createForms(context);
  const flashes = createFlashes(context);
  const look = createLook(context, links);

  /** A handler for signed-in users; others are sent to sign in and come back. */
  const signedIn = (handler: Page) => async (c: Context) => {
    const pageContext = await readPageContext({ context, sessions, forms }, c);
    if (pageContext !== undefined) return await handler(c, pageContext);
    const { pathname } = new URL(c.req.url);
    const hasPage = ![context.basePath, links.home, links.signOut].includes(pathname);
    const returnTo = hasPage ? returnPathOf(c.req.raw, context.basePath) : links.home;
    if (hostSignIn !== undefined) return atHost(c, hostSignIn, returnTo);
    if (c.req.method === 'POST') {
      flashes.leave(c, pathname === links.signOut ? look.texts.signedOut : look.texts.signInEnded);
    }
    return c.redirect(hasPage ? links.signInAndReturn(returnTo) : links.signIn, 303);
  };
  /** A handler for a form that one of these pages posted; `again` shows an expired one with what it was filled with. */
  const submitted = (handler: Submission, again?: Submission) =>
    signedIn(async (c, { session }) => {
      let then = handler;
      const form = await forms.read(c, session).catch((error) => {
        if (again === undefined || !(error instanceof ExpiredForm)) throw error;
        then = again;
        return error.form;
      });
      // The form may have been slow to arrive: what ended meanwhile does nothing (rule K11).
      return await signedIn((_, pageContext) => then(c, pageContext, form))(c);
    });
  return {
    context,
    links,
    look,
    sessions,
    /** `undefined` where the host signs in. */
    ownSessions,
    forms,
    flashes,
    signedIn,
    submitted,
    /** Adds a page. */
    get: (path: string, handler: Page) => void app.get(path, signedIn(handler)),
    /** Adds the target of a form. */
    post: (path: string, handler: Submission, again?: Submission) => void app.post(path, submitted(handler, again)),
    /** Responds with a document. One for a signed-in user shows the notice that the last request left. */
    async render(c: Context, document: Child, status = 200) {
      const page = knownPageContext(c);
      const value = { ...look, ...page, flash: page && flashes.take(c) } as Shown;
      const shown = jsx(ShownContext.Provider, { value }, document as JSXNode);
      return await c.html(html`<!doctype html>${shown}`, status as ContentfulStatusCode);
    },
  };
}

function atHost(c: Context, { urlFor }: HostSignIn, returnTo: string): Response {
  const url = urlFor(returnTo);
  // Not for a form, which browsers do not let lead to another origin (`form-action`), as many a sign-in page has: the page
  // that says so has a link.
  if (url !== undefined && c.req.method !== 'POST') return c.redirect(url, 303);
  c.set(signInAddress, url);
  throw new AdminHttpError(401, 'Sign in to this service first, then load this page again.');
}
