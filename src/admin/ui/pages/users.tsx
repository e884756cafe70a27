import type { Context } from 'hono';
import { type DirectoryUser, isEnabled, rightsOf } from '../../../api-keys/index.js';
import { asShown } from '../../../internal/index.js';
import { AdminHttpError } from '../../http/errors.js';
import { isManaged, type ManagedUserDirectory, removeUser, searchUsers } from '../../users.js';
import { type ListPart, lastPage, pageOf } from '../addresses/paging.js';
import { readUserView, type UserView } from '../addresses/user-query.js';
import { Empty } from '../components/empty.js';
import { Page, PageHeader, Token } from '../components/layout.js';
import { LinkButton } from '../components/link-button.js';
import { Pager } from '../components/pager.js';
import { ActionHead, NoAction, Table } from '../components/table.js';
import { SearchField } from '../forms/field.js';
import { useShown } from '../look.js';
import type { PageContext } from '../page-context.js';
import type { AdminTexts } from '../texts/texts-option.js';
import type { Ui } from '../ui.js';
import { DeleteDialog, DeleteUser, type DeleteView, deleteDialogId } from './delete-user.js';
import { pageNotFound, userNotFound } from './problem.js';

/** `Administration → Users`: for Super Admins, if the host's directory can list and delete users. */
export function userRoutes(ui: Ui): void {
  const { context } = ui;
  const { users } = context;

  ui.get('/users', async (c, pageContext) => {
    const directory = requireManagement(pageContext);
    const users = await context.newLookups().listUsers(directory);
    const view = readUserView(new URL(c.req.url).searchParams);
    const page = pageOf(searchUsers(users, view.search), view.page);
    if (page.items.length === 0 && view.page > 1) {
      return c.redirect(ui.links.users({ ...view, page: lastPage(1, page) }), 303);
    }
    return await ui.render(c, <Users view={view} page={page} />);
  });

  // Posted like the search of the list of keys: somebody may look for a whole key here.
  ui.post('/users', (c, pageContext, form) => {
    requireManagement(pageContext);
    return c.redirect(ui.links.users(readUserView(form)), 303);
  });

  ui.get('/users/delete', async (c, pageContext) => {
    const user = await findDeletable(pageContext, c.req.query('id'));
    return await showDelete(c, { user, typed: '', back: backTo(c) });
  });

  ui.post('/users/delete', async (c, pageContext, form) => {
    const user = await findDeletable(pageContext, c.req.query('id'));
    const typed = form.get('username') ?? '';
    if (asShown(typed) !== asShown(user.username)) {
      return await showDelete(c, { user, typed, error: ui.look.texts.notTheName, back: backTo(c) }, 400);
    }
    const { revoked } = await removeUser(context, requireManagement(pageContext), pageContext.actor, user.id);
    ui.flashes.leave(c, ui.look.texts.userDeleted(user.username, revoked));
    return c.redirect(backTo(c), 303);
  });

  function backTo(c: Context): string {
    return ui.links.users(readUserView(new URLSearchParams(c.req.query('list'))));
  }

  function showDelete(c: Context, view: DeleteView, status?: number) {
    const { pathname, search } = new URL(c.req.url);
    return ui.render(c, <DeleteUser view={view} action={pathname + search} />, status);
  }

  /** @throws AdminHttpError 404 when the user may not manage users, as for a page that does not exist */
  function requireManagement(pageContext: PageContext): ManagedUserDirectory {
    if (!pageContext.shows.users || !isManaged(users)) throw pageNotFound();
    return users;
  }

  async function findDeletable(pageContext: PageContext, userId: string | undefined): Promise<DirectoryUser> {
    const user = await context.newLookups().findUser(requireManagement(pageContext), userId ?? '');
    if (user === undefined) throw userNotFound();
    if (user.id === pageContext.user.id) throw new AdminHttpError(409, 'You cannot delete yourself.');
    return user;
  }
}

function Users({ view, page }: { view: UserView; page: ListPart<DirectoryUser> }) {
  const { links, texts } = useShown();
  return (
    <Page title={texts.users} section="users">
      <PageHeader title={texts.users}>{texts.usersIntroduction}</PageHeader>
      <div class="toolbar">
        <search class="search">
          <form method="post" action={links.users()}>
            <Token />
            <SearchField
              name="search"
              label={texts.searchUsersLabel}
              value={view.search}
              placeholder={texts.searchUsersHint}
            />
            <button class="button" type="submit">
              {texts.search}
            </button>
          </form>
        </search>
      </div>
      <section class="card" aria-label={texts.users}>
        {page.items.length === 0 ? (
          <Empty icon="search" title={texts.noUserMatches} hint={texts.noUserMatchesHint}>
            <LinkButton href={links.users()}>{texts.clearFilters}</LinkButton>
          </Empty>
        ) : (
          <>
            <Table caption={texts.users} columns={[texts.user, texts.rights, texts.status, <ActionHead />]}>
              {page.items.map((user) => (
                <UserRow view={view} user={user} />
              ))}
            </Table>
            <Pager
              page={view.page}
              list={page}
              count={texts.userCount}
              href={(number) => links.users({ ...view, page: number })}
            />
          </>
        )}
      </section>
      <DeleteDialog />
    </Page>
  );
}

function UserRow({ view, user }: { view: UserView; user: DirectoryUser }) {
  const { links, texts, user: self } = useShown();
  const isSelf = user.id === self.id;
  return (
    <tr>
      <td>
        <span class="key-name">{user.username}</span> {isSelf && <span class="tag">{texts.you}</span>}
        <span class="second-line">
          <a href={links.apiKeys({ scope: 'all', createdBy: user.id })} aria-label={texts.apiKeysOf(user.username)}>
            {texts.apiKeys}
          </a>{' '}
          ·{' '}
          <a href={links.revokeAllOf(user.id)} aria-label={texts.revokeAllOf(user.username)}>
            {texts.revokeAll}
          </a>
        </span>
      </td>
      <td data-label={texts.rights}>{describeRights(user, texts)}</td>
      <td data-label={texts.status}>{isEnabled(user) ? texts.enabled : texts.disabled}</td>
      {isSelf ? (
        <NoAction />
      ) : (
        <td class="action">
          <a
            class="button button-danger-quiet button-small"
            href={links.deleteUser(user.id, view)}
            aria-label={texts.deleteNamed(user.username)}
            data-dialog={deleteDialogId}
            data-name={user.username}
          >
            {texts.delete}
          </a>
        </td>
      )}
    </tr>
  );
}

function describeRights(user: DirectoryUser, texts: AdminTexts): string {
  if (rightsOf(user).superAdmin) return texts.superAdmin;
  // Databases say null for nothing, also inside a list (rule K19).
  const permissions = (user.permissions ?? []).filter((name) => typeof name === 'string');
  return permissions.length === 0 ? texts.ownApiKeys : permissions.join(', ');
}
