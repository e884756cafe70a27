import type { Context, Handler } from 'hono';
import { html } from 'hono/html';
import type { Child } from 'hono/jsx';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { AdminContext } from '../context.js';
import { createLinks, type Links } from './addresses/links.js';
import { createFlashes, type Flashes } from './browser/flash.js';
import { createForms, type Forms } from './browser/forms.js';
import { createSessions, type Sessions } from './browser/session.js';
import { readVisit, type Visit } from './page-context.js';

type Answer = Response | Promise<Response>;

/** What the pages are made with. */
export interface Kit {
  readonly context: AdminContext;
  readonly links: Links;
  readonly sessions: Sessions;
  readonly forms: Forms;
  readonly flashes: Flashes;
  /** A handler for whoever is signed in; the others are sent to sign in and come back. */
  signedIn(handler: (c: Context, visit: Visit) => Answer): Handler;
  /** A handler for a form that one of our own pages has posted. */
  submitted(handler: (c: Context, visit: Visit, form: URLSearchParams) => Answer): Handler;
}

export function createKit(context: AdminContext): Kit {
  const links = createLinks(context.basePath);
  const sessions = createSessions(context);
  const forms = createForms(context);
  const flashes = createFlashes(context);
  const parts = { context, links, sessions, forms };

  const signedIn: Kit['signedIn'] = (handler) => async (c) => {
    const visit = await readVisit(parts, c);
    if (visit !== undefined) return await handler(c, visit);
    const { pathname, search } = new URL(c.req.url);
    const isHome = pathname === context.basePath || pathname === links.home;
    const returnsHere = c.req.method === 'GET' && !isHome;
    return c.redirect(returnsHere ? links.signInAndReturn(pathname + search) : links.signIn, 303);
  };
  return {
    ...parts,
    flashes,
    signedIn: (handler) => signedIn((c, visit) => handler(c, { ...visit, flash: flashes.take(c) })),
    submitted: (handler) => signedIn(async (c, visit) => await handler(c, visit, await forms.read(c, visit.session))),
  };
}

/** Answers with a document. */
export async function render(c: Context, document: Child, status: ContentfulStatusCode = 200): Promise<Response> {
  return await c.html(html`<!doctype html>${document}`, status);
}
