import type { DirectoryUser } from '../../../api-keys/index.js';
import { Page } from '../components/layout.js';
import { Confirmation, ConfirmationDialog, WithSlot } from '../forms/confirmation.js';
import { TextField } from '../forms/field.js';
import { useShown } from '../look.js';

/** The dialog's id, for the links that open it. */
export const deleteDialogId = 'delete-dialog';

/** Asks for the name of the user before it is deleted. */
export function DeleteDialog() {
  const { texts } = useShown();
  return (
    <ConfirmationDialog id={deleteDialogId} submit={texts.deleteUser}>
      <h2 id={`${deleteDialogId}-title`}>
        <WithSlot text={texts.deleteQuestion} slot="name" />
      </h2>
      <p>{texts.deletionConsequences}</p>
      <TextField id="dialog-username" name="username" label={texts.typeToConfirm} value="" focused />
    </ConfirmationDialog>
  );
}

export interface DeleteView {
  readonly user: DirectoryUser;
  readonly typed: string;
  readonly error?: string;
  /** The address of the list to return to. */
  readonly back: string;
}

/** The same on a page of its own, without script. */
export function DeleteUser({ view, action }: { view: DeleteView; action: string }) {
  const { user, typed, error, back } = view;
  const { texts } = useShown();
  const title = texts.deleteNamed(user.username);
  return (
    <Page title={error === undefined ? title : texts.error(title)} section="users">
      <Confirmation action={action} cancel={back} submit={texts.deleteUser}>
        <h1>{texts.deleteQuestion(user.username)}</h1>
        <p>{texts.deletionConsequences}</p>
        <TextField id="username" label={texts.typeToConfirm} value={typed} error={error} focused />
      </Confirmation>
    </Page>
  );
}
