import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type DirectoryUser, isEnabled, rightsOf } from '../../../api-keys/index.js';
import { AdminHttpError } from '../../http/errors.js';
import { isManaged, type ManagedUserDirectory, removeUser, searchUsers } from '../../users.js';
import { type ListPart, lastPage, pageOf } from '../addresses/paging.js';
import { readUserView, type UserView } from '../addresses/user-query.js';
import { SearchField } from '../components/field.js';
import { Icon } from '../components/icon.js';
import { Page, PageHeader, Token } from '../components/layout.js';
import { Pager } from '../components/pager.js';
import { useLook } from '../look.js';
import type { PageContext } from '../page-context.js';
import type { AdminTexts } from '../texts/texts-option.js';
import { render, type Ui } from '../ui.js';
import { DeleteDialog, DeleteUser, type DeleteView, deleteDialogId } from './delete-user.js';
import { pageNotFound } from './problem.js';

/** `Administration → Users`: for Super Admins, if the host's directory can list and delete users. */
export function userRoutes(app: Hono, ui: Ui): void {
  const { context } = ui;
  const { apiKeys, users } = context;

  app.get(
    '/users',
    ui.signedIn(async (c, pageContext) => {
      const directory = requireManagement(pageContext);
      const users = await context.newLookups().ask('The directory of users', () => directory.list());
      const view = readUserView(new URL(c.req.url).searchParams);
      const page = pageOf(searchUsers(users, view.search), view.page);
      if (page.items.length === 0 && view.page > 1) {
        return c.redirect(ui.links.users({ ...view, page: lastPage(1, page) }), 303);
      }
      return await render(c, <Users pageContext={pageContext} view={view} page={page} />);
    }),
  );

  // Posted like the search of the list of keys: somebody may look for a whole key here.
  app.post(
    '/users',
    ui.submitted((c, pageContext, form) => {
      requireManagement(pageContext);
      return c.redirect(ui.links.users(readUserView(form)), 303);
    }),
  );

  app.get(
    '/users/delete',
    ui.signedIn(async (c, pageContext) => {
      const user = await findDeletable(pageContext, c.req.query('id'));
      return await showDelete(c, pageContext, { user, typed: '', back: backTo(c) });
    }),
  );

  app.post(
    '/users/delete',
    ui.submitted(async (c, pageContext, form) => {
      const user = await findDeletable(pageContext, c.req.query('id'));
      const typed = form.get('username') ?? '';
      if (typed.trim() !== user.username) {
        return await showDelete(c, pageContext, { user, typed, error: ui.look.texts.notTheName, back: backTo(c) }, 400);
      }
      const { revoked } = await removeUser(
        { apiKeys, users: requireManagement(pageContext) },
        pageContext.actor,
        user.id,
      );
      ui.flashes.leave(c, ui.look.texts.userDeleted(user.username, revoked));
      return c.redirect(backTo(c), 303);
    }),
  );

  function backTo(c: Context): string {
    return ui.links.users(readUserView(new URLSearchParams(c.req.query('list'))));
  }

  function showDelete(c: Context, pageContext: PageContext, view: DeleteView, status?: ContentfulStatusCode) {
    const { pathname, search } = new URL(c.req.url);
    return render(c, <DeleteUser pageContext={pageContext} view={view} action={pathname + search} />, status);
  }

  /** @throws AdminHttpError 404 when the user may not manage users, as for a page that does not exist */
  function requireManagement(pageContext: PageContext): ManagedUserDirectory {
    if (!pageContext.shows.users || !isManaged(users)) throw pageNotFound();
    return users;
  }

  async function findDeletable(pageContext: PageContext, userId: string | undefined): Promise<DirectoryUser> {
    const user = await context.newLookups().findUser(requireManagement(pageContext), userId ?? '');
    if (user === undefined) throw new AdminHttpError(404, 'This user does not exist, or no longer does.');
    if (user.id === pageContext.user.id) throw new AdminHttpError(409, 'You cannot delete yourself.');
    return user;
  }
}

interface UsersProps {
  pageContext: PageContext;
  view: UserView;
  page: ListPart<DirectoryUser>;
}

function Users({ pageContext, view, page }: UsersProps) {
  const { links } = pageContext;
  const { texts } = useLook();
  return (
    <Page pageContext={pageContext} title={texts.users} section="users">
      <PageHeader title={texts.users}>{texts.usersIntroduction}</PageHeader>
      <div class="toolbar">
        <search class="search">
          <form method="post" action={links.users()}>
            <Token pageContext={pageContext} />
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
          <NoUsers pageContext={pageContext} />
        ) : (
          <>
            <UserTable pageContext={pageContext} view={view} users={page.items} />
            <Pager
              page={view.page}
              list={page}
              count={texts.userCount}
              href={(number) => links.users({ ...view, page: number })}
            />
          </>
        )}
      </section>
      <DeleteDialog pageContext={pageContext} />
    </Page>
  );
}

function NoUsers({ pageContext }: { pageContext: PageContext }) {
  const { texts } = useLook();
  return (
    <div class="empty">
      <Icon name="search" />
      <h2>{texts.noUserMatches}</h2>
      <p>{texts.noUserMatchesHint}</p>
      <a class="button" href={pageContext.links.users()}>
        {texts.clearFilters}
      </a>
    </div>
  );
}

interface UserTableProps {
  pageContext: PageContext;
  view: UserView;
  users: readonly DirectoryUser[];
}

function UserTable({ pageContext, view, users }: UserTableProps) {
  const { texts } = useLook();
  return (
    <div class="table-frame">
      <table class="table cards">
        <caption class="visually-hidden">{texts.users}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.user}</th>
            <th scope="col">{texts.rights}</th>
            <th scope="col">{texts.status}</th>
            <th scope="col" class="action">
              {texts.action}
            </th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <UserRow pageContext={pageContext} view={view} user={user} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function UserRow({ pageContext, view, user }: Omit<UserTableProps, 'users'> & { user: DirectoryUser }) {
  const { links } = pageContext;
  const { texts } = useLook();
  const isSelf = user.id === pageContext.user.id;
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
        <td class="action action-none muted">–</td>
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
  const { permissions = [] } = user;
  return permissions.length === 0 ? texts.ownApiKeys : permissions.join(', ');
}
