import type { CreatedApiKey } from '../../../api-keys/index.js';
import { Icon } from '../components/icon.js';
import { Page, PageHeader } from '../components/layout.js';
import { Notice } from '../components/notice.js';
import { formatExact } from '../format/times.js';
import type { PageContext } from '../page-context.js';

interface CreatedApiKeyPageProps {
  pageContext: PageContext;
  created: CreatedApiKey;
  /** The origin, for the example. */
  origin: string;
}

/** The only page that shows a key's value (specification 2.1). */
export function CreatedApiKeyPage({ pageContext, created: { apiKey, key }, origin }: CreatedApiKeyPageProps) {
  const { links } = pageContext;
  const details = links.apiKey(apiKey.id);
  return (
    <Page pageContext={pageContext} title="Save your API key" section="api-keys">
      <PageHeader title="Save your API key">
        “{apiKey.name}” has been created. It expires on {formatExact(apiKey.expiresOn)}.
      </PageHeader>
      <section class="card narrow" aria-label="The new key">
        <div class="card-body stack">
          <Notice kind="warning">
            <strong>Copy the key now: it is shown only this once.</strong>
            <p>Nobody can show it again, not even an administrator. Store it like a password.</p>
          </Notice>
          <div class="field">
            <label for="key">API key</label>
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
                Copy
              </button>
            </div>
            <p class="copy-status" role="status" data-copy-status></p>
          </div>
          <div class="field">
            <h2>Use it</h2>
            <p class="hint" id="example">
              Send the key in the header <code>x-api-key</code>, or in <code>Authorization</code> after the word ApiKey.
            </p>
            <pre
              class="snippet"
              tabindex={0}
              aria-describedby="example"
            >{`curl -H "x-api-key: $API_KEY" ${origin}${links.adminApi}/me`}</pre>
          </div>
        </div>
        <form class="dialog-actions spread" method="get" action={details}>
          <label class="check">
            <input type="checkbox" required data-stored />
            <span>I have stored the key in a safe place</span>
          </label>
          <button class="button button-primary" type="submit">
            Done
          </button>
        </form>
      </section>
      <dialog id="leave-dialog" aria-labelledby="leave-title">
        <div class="dialog-body">
          <h2 id="leave-title">Leave without storing the key?</h2>
          <p>Once you leave this page, the key cannot be shown again. You would have to create another one.</p>
        </div>
        <div class="dialog-actions">
          <a class="button button-danger-quiet" href={details} data-leave>
            Leave
          </a>
          <button class="button button-primary" type="button" data-close autofocus>
            Stay here
          </button>
        </div>
      </dialog>
    </Page>
  );
}
