import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type DirectoryUser, isEnabled, rightsOf } from '../../../api-keys/index.js';
import { AdminHttpError } from '../../http/errors.js';
import { isManaged, type ManagedUserDirectory, removeUser } from '../../users.js';
import { TextField } from '../components/field.js';
import { Page, PageHeader, Token } from '../components/layout.js';
import { countOf } from '../format/warnings.js';
import type { PageContext } from '../page-context.js';
import { render, type Ui } from '../ui.js';
import { pageNotFound } from './problem.js';

const dialogId = 'delete-dialog';

/** `Administration → Users`: for Super Admins, if the host's directory can list and delete users. */
export function userRoutes(app: Hono, ui: Ui): void {
  const { context } = ui;
  const { apiKeys, users } = context;

  app.get(
    '/users',
    ui.signedIn(async (c, pageContext) => {
      const directory = requireManagement(pageContext);
      return await render(
        c,
        <Users
          pageContext={pageContext}
          users={await context.newLookups().ask('The directory of users', () => directory.list())}
        />,
      );
    }),
  );

  app.get(
    '/users/delete',
    ui.signedIn(async (c, pageContext) => {
      const user = await findDeletable(pageContext, c.req.query('id'));
      return await showDelete(c, pageContext, { user, typed: '' });
    }),
  );

  app.post(
    '/users/delete',
    ui.submitted(async (c, pageContext, form) => {
      const user = await findDeletable(pageContext, c.req.query('id'));
      const typed = form.get('username') ?? '';
      if (typed.trim() !== user.username) {
        return await showDelete(c, pageContext, { user, typed, error: 'This is not the user’s name.' }, 400);
      }
      const { revoked } = await removeUser(
        { apiKeys, users: requireManagement(pageContext) },
        pageContext.actor,
        user.id,
      );
      const keys = `${countOf(revoked, 'API key')} ${revoked === 1 ? 'was' : 'were'} revoked.`;
      ui.flashes.leave(c, `“${user.username}” has been deleted. ${keys}`);
      return c.redirect(ui.links.users, 303);
    }),
  );

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
    if (user === undefined) throw new AdminHttpError(404, 'There is no such user, or no longer.');
    if (user.id === pageContext.user.id) throw new AdminHttpError(409, 'You cannot delete yourself.');
    return user;
  }
}

function Users({ pageContext, users }: { pageContext: PageContext; users: readonly DirectoryUser[] }) {
  return (
    <Page pageContext={pageContext} title="Users" section="users">
      <PageHeader title="Users">
        The users who can sign in here. Deleting a user immediately and irreversibly revokes all their Active API keys.
      </PageHeader>
      <section class="card" aria-label="Users">
        <div class="table-frame">
          <table class="table cards">
            <caption class="visually-hidden">Users</caption>
            <thead>
              <tr>
                <th scope="col">User</th>
                <th scope="col">Rights</th>
                <th scope="col">Status</th>
                <th scope="col" class="action">
                  Action
                </th>
              </tr>
            </thead>
            <tbody>
              {users.map((user) => (
                <UserRow pageContext={pageContext} user={user} />
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <DeleteDialog pageContext={pageContext} />
    </Page>
  );
}

function UserRow({ pageContext, user }: { pageContext: PageContext; user: DirectoryUser }) {
  const { links } = pageContext;
  const isSelf = user.id === pageContext.user.id;
  return (
    <tr>
      <td>
        <span class="key-name">{user.username}</span> {isSelf && <span class="tag">You</span>}
        <span class="second-line">
          <a href={links.apiKeys({ scope: 'all', search: user.username })} aria-label={`API keys of ${user.username}`}>
            API keys
          </a>
        </span>
      </td>
      <td data-label="Rights">{describeRights(user)}</td>
      <td data-label="Status">{isEnabled(user) ? 'Enabled' : 'Disabled'}</td>
      {isSelf ? (
        <td class="action action-none muted">–</td>
      ) : (
        <td class="action">
          <a
            class="button button-danger-quiet button-small"
            href={links.deleteUser(user.id)}
            aria-label={`Delete ${user.username}`}
            data-dialog={dialogId}
            data-name={user.username}
          >
            Delete
          </a>
        </td>
      )}
    </tr>
  );
}

function describeRights(user: DirectoryUser): string {
  if (rightsOf(user).superAdmin) return 'Super Admin';
  const { permissions = [] } = user;
  return permissions.length === 0 ? 'Own API keys' : permissions.join(', ');
}

function DeleteDialog({ pageContext }: { pageContext: PageContext }) {
  return (
    <dialog id={dialogId} aria-labelledby={`${dialogId}-title`}>
      <form method="post" autocomplete="off">
        <Token pageContext={pageContext} />
        <div class="dialog-body">
          <h2 id={`${dialogId}-title`}>
            Delete “<span data-slot="name"></span>”?
          </h2>
          <DeletionConsequences />
          <TextField id="dialog-username" name="username" label="Type the user name to confirm" value="" focused />
        </div>
        <div class="dialog-actions">
          <button class="button" type="button" data-close>
            Cancel
          </button>
          <button class="button button-danger" type="submit">
            Delete user
          </button>
        </div>
      </form>
    </dialog>
  );
}

function DeletionConsequences() {
  return (
    <p>
      The user can no longer sign in, and all their Active API keys are revoked immediately. Neither can be undone. The
      keys and their audits stay in the lists.
    </p>
  );
}

interface DeleteView {
  readonly user: DirectoryUser;
  readonly typed: string;
  readonly error?: string;
}

function DeleteUser({ pageContext, view, action }: { pageContext: PageContext; view: DeleteView; action: string }) {
  const { user, typed, error } = view;
  return (
    <Page
      pageContext={pageContext}
      title={`${error === undefined ? '' : 'Error: '}Delete ${user.username}`}
      section="users"
    >
      <form class="card narrow" method="post" action={action} autocomplete="off" novalidate>
        <Token pageContext={pageContext} />
        <div class="dialog-body">
          <h1>Delete “{user.username}”?</h1>
          <DeletionConsequences />
          <TextField
            id="username"
            name="username"
            label="Type the user name to confirm"
            value={typed}
            error={error}
            focused
          />
        </div>
        <div class="dialog-actions">
          <a class="button" href={pageContext.links.users}>
            Cancel
          </a>
          <button class="button button-danger" type="submit">
            Delete user
          </button>
        </div>
      </form>
    </Page>
  );
}
