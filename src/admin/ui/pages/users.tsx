import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { DirectoryUser } from '../../../api-keys/index.js';
import { AdminHttpError } from '../../http/errors.js';
import { isManaged, type ManagedUserDirectory, removeUser } from '../../users.js';
import { TextField } from '../components/field.js';
import { Page, PageHeader, Token } from '../components/layout.js';
import { countOf } from '../format/warnings.js';
import type { Visit } from '../page-context.js';
import { type Kit, render } from '../toolkit.js';
import { pageNotFound } from './problem.js';

const dialogId = 'delete-dialog';

/** `Administration → Users`: for Super Admins, where the host's directory can list and delete users. */
export function userRoutes(app: Hono, kit: Kit): void {
  const { apiKeys, users } = kit.context;

  app.get(
    '/users',
    kit.signedIn(async (c, visit) => {
      const directory = requireManagement(visit);
      return await render(c, <Users visit={visit} users={await directory.list()} />);
    }),
  );

  app.get(
    '/users/delete',
    kit.signedIn(async (c, visit) => {
      const user = await findDeletable(visit, c.req.query('id'));
      return await showDelete(c, visit, { user, typed: '' });
    }),
  );

  app.post(
    '/users/delete',
    kit.submitted(async (c, visit, form) => {
      const user = await findDeletable(visit, c.req.query('id'));
      const typed = form.get('username') ?? '';
      if (typed.trim() !== user.username) {
        return await showDelete(c, visit, { user, typed, error: 'This is not the name of the user.' }, 400);
      }
      const { revoked } = await removeUser({ apiKeys, users: requireManagement(visit) }, visit.actor, user.id);
      const keys = `${countOf(revoked, 'API key')} ${revoked === 1 ? 'was' : 'were'} revoked.`;
      kit.flashes.leave(c, `“${user.username}” has been deleted. ${keys}`);
      return c.redirect(kit.links.users, 303);
    }),
  );

  function showDelete(c: Context, visit: Visit, view: DeleteView, status?: ContentfulStatusCode) {
    const { pathname, search } = new URL(c.req.url);
    return render(c, <DeleteUser visit={visit} view={view} action={pathname + search} />, status);
  }

  /** Answered like a page that does not exist to whoever may not manage users. */
  function requireManagement(visit: Visit): ManagedUserDirectory {
    if (!visit.shows.users || !isManaged(users)) throw pageNotFound();
    return users;
  }

  async function findDeletable(visit: Visit, userId: string | undefined): Promise<DirectoryUser> {
    const user = await requireManagement(visit).findById(userId ?? '');
    if (user === undefined)
      throw new AdminHttpError(404, 'There is no such user. Perhaps it has been deleted already.');
    if (user.id === visit.user.id) throw new AdminHttpError(409, 'You cannot delete yourself.');
    return user;
  }
}

function Users({ visit, users }: { visit: Visit; users: readonly DirectoryUser[] }) {
  return (
    <Page visit={visit} title="Users" section="users">
      <PageHeader title="Users">
        Whoever can sign in here. Deleting a user revokes all their Active API keys at once, for good.
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
                <UserRow visit={visit} user={user} />
              ))}
            </tbody>
          </table>
        </div>
      </section>
      <DeleteDialog visit={visit} />
    </Page>
  );
}

function UserRow({ visit, user }: { visit: Visit; user: DirectoryUser }) {
  const { links } = visit;
  const isSelf = user.id === visit.user.id;
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
      <td data-label="Rights">{rightsOf(user)}</td>
      <td data-label="Status">{user.enabled === false ? 'Disabled' : 'Enabled'}</td>
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

function rightsOf({ superAdmin, permissions = [] }: DirectoryUser): string {
  if (superAdmin === true) return 'Super Admin';
  return permissions.length === 0 ? 'Own API keys' : permissions.join(', ');
}

function DeleteDialog({ visit }: { visit: Visit }) {
  return (
    <dialog id={dialogId} aria-labelledby={`${dialogId}-title`}>
      <form method="post" autocomplete="off">
        <Token visit={visit} />
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
      The user can no longer sign in, and all their Active API keys are revoked at once. Neither can be undone. The keys
      and their audits stay in the lists.
    </p>
  );
}

interface DeleteView {
  readonly user: DirectoryUser;
  readonly typed: string;
  readonly error?: string;
}

function DeleteUser({ visit, view, action }: { visit: Visit; view: DeleteView; action: string }) {
  const { user, typed, error } = view;
  return (
    <Page visit={visit} title={`${error === undefined ? '' : 'Error: '}Delete ${user.username}`} section="users">
      <form class="card narrow" method="post" action={action} autocomplete="off" novalidate>
        <Token visit={visit} />
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
          <a class="button" href={visit.links.users}>
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
