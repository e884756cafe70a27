import type { Context, Hono } from 'hono';
import { raw } from 'hono/html';
import { AdminHttpError } from '../http/errors.js';
import type { AdminSectionContext } from '../sections.js';
import { asset } from './assets/assets.js';
import { allowConnections } from './browser/security-headers.js';
import { Page, Token } from './components/layout.js';
import { type PageContext, readPageContext } from './page-context.js';
import { pageNotFound, showProblem } from './pages/problem.js';
import type { Ui } from './ui.js';

export function sectionRoutes(app: Hono, ui: Ui): void {
  /** Serves a file of a section, and returns its address. */
  const serve = (name: string, type: string, content: string | undefined) => {
    if (content === undefined) return undefined;
    const file = asset(name, type, content);
    ui.look.assets.push(file);
    return ui.links.asset(file.name);
  };
  for (const section of ui.context.sections) {
    const stylesheet = serve(`${section.name}.css`, 'text/css', section.stylesheet);
    const script = serve(`${section.name}.js`, 'text/javascript', section.script);
    const respond = async (
      c: Context,
      pageContext: PageContext,
      form: URLSearchParams | undefined,
    ): Promise<Response> => {
      if (!pageContext.sections.includes(section)) throw pageNotFound();
      c.set(allowConnections, true);
      const page: AdminSectionContext['page'] = async ({ title, content, status = 200, refreshSeconds }) => {
        const html = (
          <Page title={title} section={section.name} extras={{ stylesheet, script, refreshSeconds }}>
            {raw(String(await content))}
          </Page>
        );
        return await ui.render(c, html, status);
      };
      const response = await section.fetch(c.req.raw, {
        user: pageContext.user,
        path: ui.links.section(section.name),
        nowMs: pageContext.nowMs,
        form,
        formToken: (<Token token={pageContext.token} />) as AdminSectionContext['formToken'],
        page,
        redirect(path, notice) {
          if (notice !== undefined) ui.flashes.leave(c, notice);
          return c.redirect(path, 303);
        },
        problem: (status, message) => showProblem(ui, c, new AdminHttpError(status, message)),
        async isSignedIn() {
          const session = await ui.sessions.read(c, ui.context.newLookups());
          return session !== undefined && (section.mayVisit?.(session.user) ?? true);
        },
      });
      // The headers of a redirect, and of a response from elsewhere, cannot be changed.
      return new Response(response.body, response);
    };
    const onPage = ui.signedIn((c, pageContext) => respond(c, pageContext, undefined));
    for (const path of [`/${section.name}`, `/${section.name}/*`]) {
      app.get(path, async (c) => {
        if (isDocument(c)) return await onPage(c);
        // No redirect and no notice: both are for pages.
        const pageContext = await readPageContext(ui, c);
        return pageContext === undefined ? c.text('Not signed in', 401) : await respond(c, pageContext, undefined);
      });
      app.post(path, ui.submitted(respond));
    }
  }
}

/** Whether the request is for a page, not for a stream of events. */
function isDocument(c: Context): boolean {
  return !/^text\/event-stream\b/i.test(c.req.header('accept') ?? '');
}
