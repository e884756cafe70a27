import { ApiKeyError } from '../../../api-keys/index.js';
import { Token } from '../components/layout.js';
import { type ExpiryInput, readExpiryInput } from '../format/expiry-choices.js';
import { useShown } from '../look.js';
import { ExpiryField, FixedExpiryField } from './expiry-field.js';
import { TextField } from './field.js';

/** The input of a key's form, as it is shown again when it was wrong. */
export interface KeyForm {
  readonly name: string;
  readonly description: string;
  readonly expiry: ExpiryInput;
  readonly error?: ApiKeyError;
}

export function readKeyForm(form: URLSearchParams): KeyForm {
  return {
    name: form.get('name') ?? '',
    description: form.get('description') ?? '',
    expiry: readExpiryInput(form),
  };
}

const expiredMessage =
  'This form was opened in a session that has ended, so nothing was saved. Check it and send it again.';

/** An expired form, to be sent again. */
export function readExpiredForm(form: URLSearchParams): KeyForm & { readonly error: ApiKeyError } {
  return { ...readKeyForm(form), error: new ApiKeyError('forbidden', expiredMessage) };
}

interface KeyFieldsProps {
  form: KeyForm;
  nameHint?: string;
  /** The present expiry of an edited key. */
  current?: string;
  /** Whether the expiry can be changed. @default true */
  canEdit?: boolean;
}

/** What can be chosen of a key, new or edited. The first wrong field has the focus. */
export function KeyFields({ form, nameHint, current, canEdit = true }: KeyFieldsProps) {
  const { texts } = useShown();
  const { name, description, expiry, error } = form;
  const messageFor = (field: string) => error?.fieldErrors.find((one) => one.field === field)?.message;
  const wrong = ['name', 'description', 'expiresOn'].find((field) => messageFor(field) !== undefined);
  return (
    <>
      <Token />
      <TextField
        id="name"
        label={texts.name}
        value={name}
        hint={nameHint}
        error={messageFor('name')}
        focused={wrong === 'name' || (canEdit && error === undefined)}
      />
      <TextField
        id="description"
        label={texts.description}
        value={description}
        hint={texts.descriptionHint}
        rows={3}
        error={messageFor('description')}
        focused={wrong === 'description'}
      />
      {current !== undefined && !canEdit ? (
        <FixedExpiryField current={current} />
      ) : (
        <ExpiryField input={expiry} current={current} error={messageFor('expiresOn')} focused={wrong === 'expiresOn'} />
      )}
    </>
  );
}
