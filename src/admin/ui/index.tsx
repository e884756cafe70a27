import { Hono } from 'hono';
import { editionMessage } from '../../api-keys/index.js';
import type { AdminContext } from '../context.js';
import { AdminHttpError } from '../http/errors.js';
import { assetResponse } from './assets/assets.js';
import { securityHeaders } from './browser/security-headers.js';
import { apiKeyDetailsRoutes } from './pages/api-key-details.js';
import { apiKeyListRoutes } from './pages/api-key-list.js';
import { auditRoutes } from './pages/audits.js';
import { createApiKeyRoutes } from './pages/create-api-key.js';
import { editApiKeyRoutes } from './pages/edit-api-key.js';
import { pageNotFound, showProblem } from './pages/problem.js';
import { revokeAllRoutes } from './pages/revoke-all.js';
import { revokeApiKeyRoutes } from './pages/revoke-api-key.js';
import { signInRoutes } from './pages/sign-in.js';
import { userRoutes } from './pages/users.js';
import { sectionRoutes } from './sections.js';
import { createUi } from './ui.js';

/** The administration UI: pages rendered on the server, all of which work without the one small script. */
export function uiRoutes(context: AdminContext): Hono {
  // Not strict: below a base path, the start page is there with and without its slash, and so is every other page.
  const app = new Hono({ strict: false }).basePath(context.basePath);
  const ui = createUi(context, app);
  app.use('*', securityHeaders);
  app.get('/assets/:name', (c) => {
    const asset = ui.look.assets.find(({ name }) => name === c.req.param('name'));
    if (asset === undefined) throw pageNotFound();
    return assetResponse(asset, c.req.header('if-none-match'));
  });
  ui.get('/', (c, pageContext) => {
    if (pageContext.shows.apiKeys) return c.redirect(ui.links.apiKeys(), 303);
    if (pageContext.shows.users) return c.redirect(ui.links.users(), 303);
    const [section] = pageContext.sections;
    if (section !== undefined) return c.redirect(ui.links.section(section.name), 303);
    throw new AdminHttpError(403, editionMessage);
  });
  signInRoutes(app, ui);
  apiKeyListRoutes(ui);
  createApiKeyRoutes(ui);
  editApiKeyRoutes(ui);
  revokeAllRoutes(ui);
  revokeApiKeyRoutes(ui);
  apiKeyDetailsRoutes(ui);
  auditRoutes(ui);
  userRoutes(ui);
  sectionRoutes(app, ui);
  app.notFound((c) => showProblem(ui, c, pageNotFound()));
  app.onError((error, c) => showProblem(ui, c, error));
  return app;
}
