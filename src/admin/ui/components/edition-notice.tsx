import { editionMessage } from '../../../api-keys/index.js';
import { useShown } from '../look.js';
import { Notice } from './notice.js';

export const editionNoticeId = 'edition-notice';

/** Why keys cannot be created or edited, and what is still possible (rule K12). */
export function EditionNotice() {
  const { texts } = useShown();
  return (
    <Notice kind="neutral" id={editionNoticeId}>
      <strong>{texts.message(editionMessage)}</strong>
      <p>{texts.editionConsequences}</p>
    </Notice>
  );
}
