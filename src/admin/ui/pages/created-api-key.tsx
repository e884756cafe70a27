import type { ApiKey, CreatedApiKey } from '../../../api-keys/index.js';
import { Icon } from '../components/icon.js';
import { Page, PageHeader } from '../components/layout.js';
import { Notice } from '../components/notice.js';
import { useShown } from '../look.js';

interface CreatedApiKeyPageProps {
  created: CreatedApiKey;
  /** The origin, for the example. */
  origin: string;
  /** The key that this one takes the place of. */
  replaced?: ApiKey | undefined;
}

/** The only page that shows a key's value (specification 2.1). */
export function CreatedApiKeyPage({ created: { apiKey, key }, origin, replaced }: CreatedApiKeyPageProps) {
  const { dates, links, texts } = useShown();
  const details = links.apiKey(apiKey.id);
  return (
    <Page title={texts.saveYourKey} section="api-keys">
      <PageHeader title={texts.saveYourKey}>{texts.created(apiKey.name, dates.exact(apiKey.expiresOn))}</PageHeader>
      <section class="card narrow" aria-label={texts.theNewKey}>
        <div class="card-body stack">
          <Notice kind="warning">
            <strong>{texts.copyNow}</strong>
            <p>{texts.copyNowHint}</p>
          </Notice>
          <div class="field">
            <label for="key">{texts.apiKey}</label>
            <div class="key-row">
              <input
                class="input key-value"
                id="key"
                type="text"
                readonly
                value={key}
                autocomplete="off"
                spellcheck={false}
                autofocus
                data-key={details}
              />
              <button class="button" type="button" hidden data-copy>
                <Icon name="copy" />
                {texts.copy}
              </button>
            </div>
            <p
              class="copy-status"
              role="status"
              data-copy-status
              data-copied={texts.copied}
              data-not-copied={texts.notCopied}
            ></p>
          </div>
          <div class="field">
            <h2>{texts.useIt}</h2>
            <p class="hint" id="example">
              {texts.useItHint}
            </p>
            <pre
              class="snippet"
              tabindex={0}
              aria-describedby="example"
            >{`curl -H "x-api-key: $API_KEY" ${origin}${links.adminApi}/me`}</pre>
          </div>
          {replaced?.status === 'Active' && (
            <p>
              {texts.thenRevoke(replaced.name)} <a href={links.apiKey(replaced.id)}>{texts.showOldKey}</a>
            </p>
          )}
        </div>
        <form class="dialog-actions spread" method="get" action={details} data-plain>
          <label class="check">
            <input type="checkbox" required data-stored />
            <span>{texts.haveStored}</span>
          </label>
          <button class="button button-primary" type="submit">
            {texts.done}
          </button>
        </form>
      </section>
      <dialog id="leave-dialog" aria-labelledby="leave-title">
        <div class="dialog-body">
          <h2 id="leave-title">{texts.leaveWithoutStoring}</h2>
          <p>{texts.leaveHint}</p>
        </div>
        <div class="dialog-actions">
          <a class="button button-danger-quiet" href={details} data-leave>
            {texts.leave}
          </a>
          <button class="button button-primary" type="button" data-close autofocus>
            {texts.stay}
          </button>
        </div>
      </dialog>
    </Page>
  );
}
