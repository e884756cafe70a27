import { editionMessage } from '../../../api-keys/index.js';
import { Notice } from './notice.js';

export const editionNoticeId = 'edition-notice';

/** Why keys cannot be created or edited, and what is still possible (rule K12). */
export function EditionNotice() {
  return (
    <Notice kind="neutral" id={editionNoticeId}>
      <strong>{editionMessage}</strong>
      <p>
        In the current edition you cannot create or edit API keys, and existing keys do not authenticate. You can still
        list, audit and revoke them.
      </p>
    </Notice>
  );
}
