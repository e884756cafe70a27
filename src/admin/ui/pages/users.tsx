import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type DirectoryUser, isEnabled, rightsOf } from '../../../api-keys/index.js';
import { AdminHttpError } from '../../http/errors.js';
import { isManaged, type ManagedUserDirectory, removeUser } from '../../users.js';
import { FormActions, TextField } from '../components/field.js';
import { Page, PageHeader, Token } from '../components/layout.js';
import { WithSlot } from '../components/slot.js';
import { useLook } from '../look.js';
import type { PageContext } from '../page-context.js';
import type { AdminTexts } from '../texts/texts-option.js';
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
        return await showDelete(c, pageContext, { user, typed, error: ui.look.texts.notTheName }, 400);
      }
      const { revoked } = await removeUser(
        { apiKeys, users: requireManagement(pageContext) },
        pageContext.actor,
        user.id,
      );
      ui.flashes.leave(c, ui.look.texts.userDeleted(user.username, revoked));
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
  const { texts } = useLook();
  return (
    <Page pageContext={pageContext} title={texts.users} section="users">
      <PageHeader title={texts.users}>{texts.usersIntroduction}</PageHeader>
      <section class="card" aria-label={texts.users}>
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
            href={links.deleteUser(user.id)}
            aria-label={texts.deleteNamed(user.username)}
            data-dialog={dialogId}
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

function DeleteDialog({ pageContext }: { pageContext: PageContext }) {
  const { texts } = useLook();
  return (
    <dialog id={dialogId} aria-labelledby={`${dialogId}-title`}>
      <form method="post" autocomplete="off">
        <Token pageContext={pageContext} />
        <div class="dialog-body">
          <h2 id={`${dialogId}-title`}>
            <WithSlot text={texts.deleteQuestion} slot="name" />
          </h2>
          <DeletionConsequences />
          <TextField id="dialog-username" name="username" label={texts.typeToConfirm} value="" focused />
        </div>
        <div class="dialog-actions">
          <button class="button" type="button" data-close>
            {texts.cancel}
          </button>
          <button class="button button-danger" type="submit">
            {texts.deleteUser}
          </button>
        </div>
      </form>
    </dialog>
  );
}

function DeletionConsequences() {
  return <p>{useLook().texts.deletionConsequences}</p>;
}

interface DeleteView {
  readonly user: DirectoryUser;
  readonly typed: string;
  readonly error?: string;
}

function DeleteUser({ pageContext, view, action }: { pageContext: PageContext; view: DeleteView; action: string }) {
  const { user, typed, error } = view;
  const { texts } = useLook();
  const title = texts.deleteNamed(user.username);
  return (
    <Page pageContext={pageContext} title={error === undefined ? title : texts.error(title)} section="users">
      <form class="card narrow" method="post" action={action} autocomplete="off" novalidate>
        <Token pageContext={pageContext} />
        <div class="dialog-body">
          <h1>{texts.deleteQuestion(user.username)}</h1>
          <DeletionConsequences />
          <TextField id="username" name="username" label={texts.typeToConfirm} value={typed} error={error} focused />
        </div>
        <FormActions kind="danger" cancel={pageContext.links.users} submit={texts.deleteUser} />
      </form>
    </Page>
  );
}
