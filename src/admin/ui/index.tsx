import { Hono } from 'hono';
import type { AdminContext } from '../context.js';
import { AdminHttpError } from '../http/errors.js';
import { answerAsset, assets } from './assets/assets.js';
import { securityHeaders } from './browser/security-headers.js';
import { editionReason } from './components/edition-notice.js';
import { apiKeyDetailsRoutes } from './pages/api-key-details.js';
import { apiKeyListRoutes } from './pages/api-key-list.js';
import { auditRoutes } from './pages/audits.js';
import { createApiKeyRoutes } from './pages/create-api-key.js';
import { editApiKeyRoutes } from './pages/edit-api-key.js';
import { pageNotFound, showProblem } from './pages/problem.js';
import { revokeApiKeyRoutes } from './pages/revoke-api-key.js';
import { signInRoutes } from './pages/sign-in.js';
import { userRoutes } from './pages/users.js';
import { sectionAssets, sectionRoutes } from './sections.js';
import { createKit } from './toolkit.js';

/**
 * The administration UI: pages rendered here, one stylesheet, one small script, all of them under `context.basePath`.
 * Everything works without script.
 */
export function uiRoutes(context: AdminContext): Hono {
  const kit = createKit(context);
  const app = new Hono().basePath(context.basePath);
  const known = [...Object.values(assets), ...sectionAssets(context.sections)];
  app.use('*', securityHeaders);
  app.get('/assets/:name', (c) => {
    const answer = answerAsset(known, c.req.param('name'), c.req.header('if-none-match'));
    if (answer === undefined) throw pageNotFound();
    return answer;
  });
  app.get(
    '/',
    kit.signedIn((c, visit) => {
      if (visit.shows.apiKeys) return c.redirect(kit.links.apiKeys(), 303);
      if (visit.shows.users) return c.redirect(kit.links.users, 303);
      const [section] = visit.sections;
      if (section !== undefined) return c.redirect(`${context.basePath}/${section.name}`, 303);
      throw new AdminHttpError(403, editionReason);
    }),
  );
  signInRoutes(app, kit);
  apiKeyListRoutes(app, kit);
  createApiKeyRoutes(app, kit);
  editApiKeyRoutes(app, kit);
  revokeApiKeyRoutes(app, kit);
  apiKeyDetailsRoutes(app, kit);
  auditRoutes(app, kit);
  userRoutes(app, kit);
  sectionRoutes(app, kit);
  app.notFound((c) => showProblem(kit, c, pageNotFound()));
  app.onError((error, c) => showProblem(kit, c, error));
  return app;
}
