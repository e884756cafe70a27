import type { Context, Hono } from 'hono';
import { raw } from 'hono/html';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { AdminHttpError } from '../http/errors.js';
import type { AdminSection, AdminVisit } from '../sections.js';
import { type Asset, asset } from './assets/assets.js';
import { allowConnections } from './browser/security-headers.js';
import { Page, Token } from './components/layout.js';
import { readVisit, type Visit } from './page-context.js';
import { pageNotFound, showProblem } from './pages/problem.js';
import { type Kit, render } from './toolkit.js';

/** The stylesheets and scripts of the host's sections. */
export function sectionAssets(sections: readonly AdminSection[]): Asset[] {
  return sections.flatMap((section) => Object.values(assetsOf(section)).filter((one) => one !== undefined));
}

function assetsOf({ name, stylesheet, script }: AdminSection) {
  return {
    stylesheet: stylesheet === undefined ? undefined : asset(`${name}.css`, 'text/css', stylesheet),
    script: script === undefined ? undefined : asset(`${name}.js`, 'text/javascript', script),
  };
}

/** The host's own pages. */
export function sectionRoutes(app: Hono, kit: Kit): void {
  for (const section of kit.context.sections) {
    const { stylesheet, script } = assetsOf(section);
    const answer = async (c: Context, visit: Visit, form: URLSearchParams | undefined): Promise<Response> => {
      if (!maySee(section, visit)) throw pageNotFound();
      c.set(allowConnections, true);
      const page: AdminVisit['page'] = async ({ title, content, status = 200, refreshSeconds }) => {
        const html = (
          <Page
            visit={visit}
            title={title}
            section={section.name}
            extras={{ stylesheet: stylesheet?.name, script: script?.name, refreshSeconds }}
          >
            {raw(String(await content))}
          </Page>
        );
        return await render(c, html, status as ContentfulStatusCode);
      };
      return await section.fetch(c.req.raw, {
        user: visit.user,
        path: `${kit.context.basePath}/${section.name}`,
        nowMs: visit.nowMs,
        form,
        formToken: (<Token visit={visit} />) as AdminVisit['formToken'],
        page,
        redirect(path, notice) {
          if (notice !== undefined) kit.flashes.leave(c, notice);
          return c.redirect(path, 303);
        },
        problem: (status, message) => showProblem(kit, c, new AdminHttpError(status, message)),
        async isSignedIn() {
          const session = await kit.sessions.read(c);
          return session !== undefined && (section.mayVisit?.(session.user) ?? true);
        },
      });
    };
    const onPage = kit.signedIn((c, visit) => answer(c, visit, undefined));
    for (const path of [`/${section.name}`, `/${section.name}/*`]) {
      app.get(path, async (c, next) => {
        if (isDocument(c)) return await onPage(c, next);
        // Neither sent elsewhere nor given the word about what has just been done: both are for pages.
        const visit = await readVisit(kit, c);
        return visit === undefined ? c.text('Not signed in', 401) : await answer(c, visit, undefined);
      });
      app.post(path, kit.submitted(answer));
    }
  }
}

/** Whether a page is asked for, and not a stream of events that a script reads. */
function isDocument(c: Context): boolean {
  return !/^text\/event-stream\b/i.test(c.req.header('accept') ?? '');
}

function maySee(section: AdminSection, { sections }: Visit): boolean {
  return sections.includes(section);
}
