import type { ApiKey } from '../../../api-keys/index.js';
import type { ListView } from '../addresses/list-query.js';
import { useShown } from '../look.js';
import { ConfirmationDialog, WithSlot } from './confirmation.js';

const dialogId = 'revoke-dialog';

interface RevokeLinkProps {
  apiKey: ApiKey;
  /** The list to return to. */
  view?: ListView;
  small?: boolean;
}

/** Opens the dialog, or its own page where scripts are off. */
export function RevokeLink({ apiKey, view, small = false }: RevokeLinkProps) {
  const { links, texts } = useShown();
  return (
    <a
      class={`button button-danger-quiet${small ? ' button-small' : ''}`}
      href={links.revokeApiKey(apiKey.id, view)}
      aria-label={texts.revokeNamed(apiKey.name)}
      data-dialog={dialogId}
      data-name={apiKey.name}
      data-owner={apiKey.createdBy.username}
      data-used={useLastUse(apiKey)}
    >
      {texts.revoke}
    </a>
  );
}

export function RevokeDialog() {
  const { texts } = useShown();
  return (
    <ConfirmationDialog id={dialogId} submit={texts.revokeApiKey} focusCancel>
      <h2 id={`${dialogId}-title`}>
        <WithSlot text={texts.revokeQuestion} slot="name" />
      </h2>
      <p class="muted">
        <WithSlot text={texts.createdByName} slot="owner" />
        <br />
        <WithSlot text={texts.lastUsed} slot="used" />
      </p>
      <p>{texts.revocationConsequences}</p>
    </ConfirmationDialog>
  );
}

/** The one fact that says whether a revocation stops something. */
export function useLastUse({ lastAccessed, recentUses: [latest] }: ApiKey): string {
  const { dates, nowMs, texts } = useShown();
  if (lastAccessed === null) return texts.never;
  const when = `${dates.relative(lastAccessed, nowMs)} (${dates.exact(lastAccessed)})`;
  if (latest?.lastUsedOn !== lastAccessed) return when;
  return texts.usedFrom(when, latest.address, latest.userAgent);
}
