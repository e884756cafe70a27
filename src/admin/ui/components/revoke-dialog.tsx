import type { ApiKey } from '../../../api-keys/index.js';
import type { ListView } from '../addresses/list-query.js';
import type { PageContext } from '../page-context.js';
import { Token } from './layout.js';

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
      aria-label={`Revoke ${apiKey.name}`}
      data-dialog={dialogId}
      data-name={apiKey.name}
      data-owner={apiKey.createdBy.username}
    >
      Revoke
    </a>
  );
}

/** One dialog for all links of a page. */
export function RevokeDialog({ pageContext }: { pageContext: PageContext }) {
  return (
    <dialog id={dialogId} aria-labelledby={`${dialogId}-title`}>
      <form method="post">
        <Token pageContext={pageContext} />
        <div class="dialog-body">
          <h2 id={`${dialogId}-title`}>
            Revoke “<span data-slot="name"></span>”?
          </h2>
          <p class="muted">
            Created by <span data-slot="owner"></span>
          </p>
          <RevocationConsequences />
        </div>
        <div class="dialog-actions">
          <button class="button" type="button" data-close autofocus>
            Cancel
          </button>
          <button class="button button-danger" type="submit">
            Revoke API key
          </button>
        </div>
      </form>
    </dialog>
  );
}

export function RevocationConsequences() {
  return (
    <p>
      From this moment every request with this key is refused. This cannot be undone: a revoked key stays in the list
      but can never be used again.
    </p>
  );
}
