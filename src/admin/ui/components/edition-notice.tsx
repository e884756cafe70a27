import { editionMessage } from '../../../api-keys/index.js';
import { Notice } from './notice.js';

export const editionNoticeId = 'edition-notice';

/** Why keys cannot be created or edited, and what is still possible (rule K12). */
export function EditionNotice() {
  return (
    <Notice kind="neutral" id={editionNoticeId}>
      <strong>{editionMessage}</strong>
      <p>
        With the present edition no API key can be created or edited, and existing keys do not authenticate. They can
        still be listed, audited and revoked.
      </p>
    </Notice>
  );
}
