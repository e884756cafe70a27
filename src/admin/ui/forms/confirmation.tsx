import type { PropsWithChildren } from 'hono/jsx';
import { Page, PageHeader, Token } from '../components/layout.js';
import { LinkButton } from '../components/link-button.js';
import { Notice } from '../components/notice.js';
import { useShown } from '../look.js';
import { FormActions } from './field.js';

type ConfirmationProps = PropsWithChildren<{ action: string; cancel: string; submit: string }>;

/** Asks before something that cannot be undone, on a page of its own. */
export function Confirmation({ action, cancel, submit, children }: ConfirmationProps) {
  return (
    <form class="card narrow" method="post" action={action} autocomplete="off" novalidate>
      <Token />
      <div class="dialog-body">{children}</div>
      <FormActions kind="danger" cancel={cancel} submit={submit} />
    </form>
  );
}

interface ConfirmationDialogProps {
  /** Its title has the id `{id}-title`. */
  id: string;
  submit: string;
  /** Whether the button that cancels has the focus at first. */
  focusCancel?: boolean;
}

/** The same as a dialog, one for all links of a page. The script takes the address from the link. */
export function ConfirmationDialog({ id, submit, focusCancel, children }: PropsWithChildren<ConfirmationDialogProps>) {
  return (
    <dialog id={id} aria-labelledby={`${id}-title`}>
      <form method="post" autocomplete="off">
        <Token />
        <div class="dialog-body">{children}</div>
        <div class="dialog-actions">
          <button class="button" type="button" data-close {...(focusCancel && { autofocus: true })}>
            {useShown().texts.cancel}
          </button>
          <button class="button button-danger" type="submit">
            {submit}
          </button>
        </div>
      </form>
    </dialog>
  );
}

interface NothingToRevokeProps {
  title: string;
  /** @default the title */
  heading?: string;
  beside?: Parameters<typeof PageHeader>[0]['beside'];
  back: string;
}

/** In place of a confirmation. */
export function NothingToRevoke(props: PropsWithChildren<NothingToRevokeProps>) {
  const { title, heading = title, beside, back, children } = props;
  const { texts } = useShown();
  return (
    <Page title={title} section="api-keys">
      <PageHeader title={heading} beside={beside} />
      <Notice kind="neutral" focused>
        <strong>{texts.nothingToRevoke}</strong>
        {children}
      </Notice>
      <div class="button-row">
        <LinkButton href={back}>{texts.goBack}</LinkButton>
      </div>
    </Page>
  );
}

/** A text with places that the script fills in when a dialog opens: a translation may name its value twice. */
export function WithSlot({ text, slot }: { text: (value: string) => string; slot: string }) {
  return text('\0')
    .split('\0')
    .map((part, index) => (
      <>
        {index > 0 && <span data-slot={slot}></span>}
        {part}
      </>
    ));
}
