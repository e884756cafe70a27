import { Icon } from '../components/icon.js';
import { LinkButton } from '../components/link-button.js';
import { useShown } from '../look.js';

export function FieldError({ id, message }: { id: string; message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <p class="field-error" id={id}>
      <Icon name="warning" size={14} />
      <span>{useShown().texts.message(message)}</span>
    </p>
  );
}

/** Links an input to its message, and marks it as invalid for screen readers. */
export function invalidity(errorId: string, message: string | undefined, hintId?: string) {
  const described = [hintId, message === undefined ? undefined : errorId].filter((id) => id !== undefined).join(' ');
  return {
    ...(described !== '' && { 'aria-describedby': described }),
    ...(message !== undefined && { 'aria-invalid': 'true' as const }),
  };
}

interface TextFieldProps {
  id: string;
  /** @default the id */
  name?: string;
  label: string;
  value: string;
  hint?: string | undefined;
  error?: string | undefined;
  type?: 'text' | 'password';
  autocomplete?: string;
  /** Takes lines, so many at a time, and may be left empty. */
  rows?: number;
  focused?: boolean;
}

export function TextField(props: TextFieldProps) {
  const { id, name = id, label, value, hint, error, type = 'text', autocomplete = 'off', rows, focused } = props;
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const errorId = `${id}-error`;
  const state = { autofocus: focused, ...invalidity(errorId, error, hintId) };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
      {rows === undefined ? (
        <input
          class="input"
          id={id}
          name={name}
          type={type}
          value={value}
          autocomplete={autocomplete}
          autocapitalize="none"
          spellcheck={false}
          required
          {...state}
        />
      ) : (
        <textarea class="input" id={id} name={name} rows={rows} {...state}>
          {value}
        </textarea>
      )}
      <FieldError id={errorId} message={error} />
    </div>
  );
}

interface SearchFieldProps {
  name: string;
  label: string;
  value: string;
  placeholder: string;
}

/** Of any length: a browser would cut the end off a key that is pasted with what stands around it. */
export function SearchField({ name, label, value, placeholder }: SearchFieldProps) {
  return (
    <div class="search-field">
      <label class="visually-hidden" for={name}>
        {label}
      </label>
      <Icon name="search" />
      <input
        class="input"
        id={name}
        name={name}
        type="search"
        value={value}
        placeholder={placeholder}
        autocomplete="off"
        autocapitalize="none"
        spellcheck={false}
      />
    </div>
  );
}

interface FormActionsProps {
  /** The address that cancels the form. */
  cancel: string;
  submit: string;
  kind?: 'primary' | 'danger';
  disabled?: boolean;
}

/** The end of a form: the way back, and the button that sends it. */
export function FormActions({ cancel, submit, kind = 'primary', disabled = false }: FormActionsProps) {
  return (
    <div class="dialog-actions">
      <LinkButton href={cancel}>{useShown().texts.cancel}</LinkButton>
      <button class={`button button-${kind}`} type="submit" {...(disabled && { disabled: true })}>
        {submit}
      </button>
    </div>
  );
}
