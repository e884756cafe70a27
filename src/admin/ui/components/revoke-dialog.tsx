import type { ApiKey } from '../../../api-keys/index.js';
import type { ListView } from '../addresses/list-query.js';
import { useLook } from '../look.js';
import type { PageContext } from '../page-context.js';
import { Token } from './layout.js';
import { WithSlot } from './slot.js';

const dialogId = 'revoke-dialog';

interface RevokeLinkProps {
  pageContext: PageContext;
  apiKey: ApiKey;
  /** The list to return to. */
  view?: ListView;
  small?: boolean;
}

/** Opens the dialog, or its own page where scripts are off. */
export function RevokeLink({ pageContext, apiKey, view, small = false }: RevokeLinkProps) {
  return (
    <a
      class={`button button-danger-quiet${small ? ' button-small' : ''}`}
      href={pageContext.links.revokeApiKey(apiKey.id, view)}
      aria-label={useLook().texts.revokeNamed(apiKey.name)}
      data-dialog={dialogId}
      data-name={apiKey.name}
      data-owner={apiKey.createdBy.username}
      data-used={lastUse(apiKey, pageContext.nowMs)}
    >
      {useLook().texts.revoke}
    </a>
  );
}

/** One dialog for all links of a page. */
export function RevokeDialog({ pageContext }: { pageContext: PageContext }) {
  const { texts } = useLook();
  return (
    <dialog id={dialogId} aria-labelledby={`${dialogId}-title`}>
      <form method="post">
        <Token pageContext={pageContext} />
        <div class="dialog-body">
          <h2 id={`${dialogId}-title`}>
            <WithSlot text={texts.revokeQuestion} slot="name" />
          </h2>
          <p class="muted">
            <WithSlot text={texts.createdByName} slot="owner" />
            <br />
            <WithSlot text={texts.lastUsed} slot="used" />
          </p>
          <RevocationConsequences />
        </div>
        <div class="dialog-actions">
          <button class="button" type="button" data-close autofocus>
            {texts.cancel}
          </button>
          <button class="button button-danger" type="submit">
            {texts.revokeApiKey}
          </button>
        </div>
      </form>
    </dialog>
  );
}

/** The one fact that says whether a revocation stops something. */
export function lastUse({ lastAccessed, recentUses: [latest] }: ApiKey, nowMs: number): string {
  const { dates, texts } = useLook();
  if (lastAccessed === null) return texts.never;
  const when = `${dates.relative(lastAccessed, nowMs)} (${dates.exact(lastAccessed)})`;
  if (latest?.lastUsedOn !== lastAccessed) return when;
  return texts.usedFrom(when, latest.address, latest.userAgent);
}

export function RevocationConsequences() {
  return <p>{useLook().texts.revocationConsequences}</p>;
}
