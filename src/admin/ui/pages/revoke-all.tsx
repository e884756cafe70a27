import type { Hono } from 'hono';
import { AdminHttpError } from '../../http/errors.js';
import { FormActions } from '../components/field.js';
import { Page, Token } from '../components/layout.js';
import { useLook } from '../look.js';
import type { PageContext } from '../page-context.js';
import { render, type Ui } from '../ui.js';

/** Revoking all keys of a user, such as one whose machine was stolen: for whoever may manage all keys, and for oneself. */
export function revokeAllRoutes(app: Hono, ui: Ui): void {
  const { context, links, look } = ui;

  app.get(
    '/api-keys/revoke-all',
    ui.signedIn(async (c, pageContext) => {
      const user = await findUser(pageContext, c.req.query('user'));
      return await render(c, <RevokeAll pageContext={pageContext} user={user} />);
    }),
  );

  app.post(
    '/api-keys/revoke-all',
    ui.submitted(async (c, pageContext) => {
      const { id, username } = await findUser(pageContext, c.req.query('user'));
      const { revoked } = await context.apiKeys.revokeAllOf(pageContext.actor, id);
      ui.flashes.leave(c, look.texts.allRevoked(username, revoked));
      return c.redirect(links.apiKeys({ scope: id === pageContext.user.id ? 'my' : 'all', status: 'Revoked' }), 303);
    }),
  );

  /** @throws AdminHttpError 404 for another user's keys without the right, as if there were no such user */
  async function findUser({ actor, mayManageAll, user }: PageContext, userId = '') {
    const found = await actor.lookups?.findUser(context.users, userId);
    if (found === undefined || (!mayManageAll && found.id !== user.id)) {
      throw new AdminHttpError(404, 'There is no such user, or no longer.');
    }
    return found;
  }
}

interface RevokeAllProps {
  pageContext: PageContext;
  user: { readonly id: string; readonly username: string };
}

function RevokeAll({ pageContext, user }: RevokeAllProps) {
  const { links } = pageContext;
  const { texts } = useLook();
  return (
    <Page pageContext={pageContext} title={texts.revokeAllOf(user.username)} section="api-keys">
      <form class="card narrow" method="post" action={links.revokeAllOf(user.id)}>
        <Token pageContext={pageContext} />
        <div class="dialog-body">
          <h1>{texts.revokeAllOf(user.username)}?</h1>
          <p>{texts.revokeAllConsequences}</p>
        </div>
        <FormActions kind="danger" cancel={links.apiKeys()} submit={texts.revokeAll} />
      </form>
    </Page>
  );
}
