import type { DirectoryUser } from '../../../api-keys/index.js';
import { FormActions, TextField } from '../components/field.js';
import { Page, Token } from '../components/layout.js';
import { WithSlot } from '../components/slot.js';
import { useLook } from '../look.js';
import type { PageContext } from '../page-context.js';

/** The dialog's id, for the links that open it. */
export const deleteDialogId = 'delete-dialog';

/** Asks for the name of the user before it is deleted. */
export function DeleteDialog({ pageContext }: { pageContext: PageContext }) {
  const { texts } = useLook();
  return (
    <dialog id={deleteDialogId} aria-labelledby={`${deleteDialogId}-title`}>
      <form method="post" autocomplete="off">
        <Token pageContext={pageContext} />
        <div class="dialog-body">
          <h2 id={`${deleteDialogId}-title`}>
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

export interface DeleteView {
  readonly user: DirectoryUser;
  readonly typed: string;
  readonly error?: string;
  /** The address of the list to return to. */
  readonly back: string;
}

/** The same on a page of its own, without script. */
export function DeleteUser({
  pageContext,
  view,
  action,
}: {
  pageContext: PageContext;
  view: DeleteView;
  action: string;
}) {
  const { user, typed, error, back } = view;
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
        <FormActions kind="danger" cancel={back} submit={texts.deleteUser} />
      </form>
    </Page>
  );
}
