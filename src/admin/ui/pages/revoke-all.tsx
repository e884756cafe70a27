import type { ApiKeyPage, DirectoryUser } from '../../../api-keys/index.js';
import { Page } from '../components/layout.js';
import { Confirmation, NothingToRevoke } from '../forms/confirmation.js';
import { useLastUse } from '../forms/revoke-dialog.js';
import { useShown } from '../look.js';
import type { PageContext } from '../page-context.js';
import type { Ui } from '../ui.js';
import { userNotFound } from './problem.js';

/** Revoking all keys of a user, such as one whose machine was stolen: for whoever may manage all keys, and for oneself. */
export function revokeAllRoutes(ui: Ui): void {
  const { context, links, look } = ui;

  ui.get('/api-keys/revoke-all', async (c, pageContext) => {
    const user = await findUser(pageContext, c.req.query('user'));
    const active = await context.apiKeys.list(pageContext.actor, {
      ...keysOf(pageContext, user),
      ...({ status: 'Active', sort: '-lastAccessed', limit: 1, total: true } as const),
    });
    return await ui.render(c, <RevokeAll user={user} active={active} />);
  });

  ui.post('/api-keys/revoke-all', async (c, pageContext) => {
    const user = await findUser(pageContext, c.req.query('user'));
    const { revoked } = await context.apiKeys.revokeAllOf(pageContext.actor, user.id);
    ui.flashes.leave(c, look.texts.allRevoked(user.username, revoked));
    return c.redirect(links.apiKeys({ ...keysOf(pageContext, user), status: 'Revoked' }), 303);
  });

  /** @throws AdminHttpError 404 for another user's keys without the right, as if there were no such user */
  async function findUser({ actor, mayManageAll, user }: PageContext, userId = ''): Promise<DirectoryUser> {
    if (userId.trim() === '' || (!mayManageAll && userId !== user.id)) throw userNotFound();
    const found = await actor.lookups?.findUser(context.users, userId);
    if (found !== undefined) return found;
    // Somebody who is no longer in the directory may have left keys.
    const { items } = await context.apiKeys.list(actor, { scope: 'all', createdBy: userId, limit: 1 });
    const owner = items[0]?.createdBy;
    if (owner?.id !== userId) throw userNotFound();
    return owner;
  }
}

/** For a list of this user's keys. */
function keysOf({ user }: PageContext, { id }: DirectoryUser) {
  return id === user.id ? ({ scope: 'my' } as const) : ({ scope: 'all', createdBy: id } as const);
}

interface RevokeAllProps {
  user: DirectoryUser;
  /** How many Active keys there are, and the one that was used last. */
  active: ApiKeyPage;
}

function RevokeAll({ user, active: { items, total = 0 } }: RevokeAllProps) {
  const shown = useShown();
  const { links, texts } = shown;
  const title = texts.revokeAllOf(user.username);
  const back = links.apiKeys(keysOf(shown, user));
  const [latest] = items;
  if (latest === undefined) {
    return (
      <NothingToRevoke title={title} back={back}>
        <p>{texts.noneToRevoke(user.username)}</p>
      </NothingToRevoke>
    );
  }
  return (
    <Page title={title} section="api-keys">
      <Confirmation action={links.revokeAllOf(user.id)} cancel={back} submit={texts.revokeAll}>
        <h1>{title}?</h1>
        <p class="muted">
          {texts.activeKeyCount(total)}
          <br />
          {texts.lastUsed(useLastUse(latest))}
        </p>
        <p>{texts.revokeAllConsequences}</p>
      </Confirmation>
    </Page>
  );
}
