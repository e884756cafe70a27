import type { Context } from 'hono';
import { type ApiKey, isApiKeyError, maxPageLimit } from '../../../api-keys/index.js';
import { asShown } from '../../../internal/index.js';
import { describeFailure } from '../../http/errors.js';
import { createKey } from '../../key-operations.js';
import { EditionNotice } from '../components/edition-notice.js';
import { Page, PageHeader } from '../components/layout.js';
import { Notice } from '../components/notice.js';
import { toExpiresOn } from '../format/expiry-choices.js';
import { baseName, freeName } from '../format/free-name.js';
import { FormActions } from '../forms/field.js';
import { KeyFields, type KeyForm, readExpiredForm, readKeyForm } from '../forms/key-fields.js';
import { useShown } from '../look.js';
import type { PageContext } from '../page-context.js';
import type { Submission, Ui } from '../ui.js';
import { CreatedApiKeyPage } from './created-api-key.js';

interface FormView extends KeyForm {
  /** The key that the new one takes the place of. */
  readonly replaced?: ApiKey | undefined;
  /** A key of that name that this user created a moment ago: the form was probably sent twice. */
  readonly madeBefore?: ApiKey | undefined;
}

const blankForm: FormView = { name: '', description: '', expiry: { choice: '30', custom: '' } };

/** The response to the form is the page with the key: its value never goes through an address or a cookie. */
export function createApiKeyRoutes(ui: Ui): void {
  const { apiKeys } = ui.context;
  const show = (c: Context, view: FormView, status?: number) => ui.render(c, <CreateApiKey view={view} />, status);

  ui.get('/api-keys/new', async (c, pageContext) => {
    const replaced = await findReplaced(c, pageContext);
    if (replaced === undefined) return await show(c, blankForm);
    const name = await findFreeName(pageContext, replaced.name);
    return await show(c, { ...blankForm, name, description: replaced.description ?? '', replaced });
  });

  const create: Submission = async (c, pageContext, form) => {
    const { name, description, expiry } = readKeyForm(form);
    const replaced = await findReplaced(c, pageContext);
    const expiresOn = toExpiresOn(expiry, pageContext) ?? '';
    try {
      const created = await createKey(ui.context, pageContext.actor, { name, description, expiresOn });
      return await ui.render(
        c,
        <CreatedApiKeyPage created={created} origin={new URL(c.req.url).origin} replaced={replaced} />,
      );
    } catch (error) {
      if (!isApiKeyError(error)) throw error;
      const isTaken = error.fieldErrors.some(({ message }) => message === 'API key name must be unique.');
      // As the key that has it is called.
      const taken = asShown(name);
      const view = {
        // Keys of others take names, too: the next one is tried by sending the form again.
        name: isTaken && replaced !== undefined ? await findFreeName(pageContext, taken, taken) : name,
        madeBefore: isTaken ? await findMadeBefore(pageContext, taken) : undefined,
        ...{ description, expiry, error, replaced },
      };
      return await show(c, view, describeFailure(error).status);
    }
  };
  ui.post('/api-keys/new', create, async (c, pageContext, form) =>
    show(c, { ...readExpiredForm(form), replaced: await findReplaced(c, pageContext) }, 403),
  );

  /** @throws ApiKeyError `not-found` when the user may not see it */
  async function findReplaced(c: Context, { actor }: PageContext): Promise<ApiKey | undefined> {
    const id = c.req.query('replaces');
    return id === undefined ? undefined : await apiKeys.get(actor, id);
  }

  /** One that none of the user's own keys has. */
  async function findFreeName({ actor }: PageContext, name: string, after?: string): Promise<string> {
    const { items } = await apiKeys.list(actor, { scope: 'my', search: baseName(name), limit: maxPageLimit });
    const taken = items.map((apiKey) => apiKey.name);
    return freeName(name, taken, after);
  }

  async function findMadeBefore({ actor, nowMs }: PageContext, name: string) {
    const { items } = await apiKeys.list(actor, { scope: 'my', sort: '-createdOn', limit: 20 });
    const justNowMs = nowMs - 15 * 60_000;
    return items.find((apiKey) => apiKey.name === name && Date.parse(apiKey.createdOn) > justNowMs);
  }
}

function CreateApiKey({ view }: { view: FormView }) {
  const { isAvailable, links, texts, user } = useShown();
  const { error, madeBefore, replaced } = view;
  return (
    <Page title={error === undefined ? texts.createApiKey : texts.error(texts.createApiKey)} section="api-keys">
      <PageHeader title={texts.createApiKey} back={{ href: links.apiKeys(), text: texts.apiKeys }}>
        {texts.actsAsYou(user.username)}
      </PageHeader>
      {!isAvailable && <EditionNotice />}
      {isAvailable && error !== undefined && error.fieldErrors.length === 0 && (
        <Notice kind="danger" focused>
          {texts.message(error.message)}
        </Notice>
      )}
      {replaced !== undefined && (
        <Notice kind="neutral">
          <p>
            {texts.replaces(replaced.name)} <a href={links.apiKey(replaced.id)}>{texts.showOldKey}</a>
          </p>
        </Notice>
      )}
      {madeBefore !== undefined && <MadeBefore apiKey={madeBefore} />}
      <form
        class="card narrow"
        method="post"
        action={replaced === undefined ? links.newApiKey : links.replaceApiKey(replaced.id)}
        novalidate
      >
        <fieldset {...(!isAvailable && { disabled: true })}>
          <legend class="visually-hidden">{texts.newApiKey}</legend>
          <div class="card-body stack">
            <KeyFields form={view} nameHint={texts.nameHint} />
          </div>
          <FormActions cancel={links.apiKeys()} submit={texts.createApiKey} />
        </fieldset>
      </form>
    </Page>
  );
}

/** A reloaded or repeated form: nothing went wrong, but the value cannot be shown again. */
function MadeBefore({ apiKey }: { apiKey: ApiKey }) {
  const { dates, links, nowMs, texts } = useShown();
  return (
    <Notice kind="neutral">
      <strong>{texts.createdBefore(apiKey.name, dates.relative(apiKey.createdOn, nowMs))}</strong>
      <p>{texts.createdBeforeHint}</p>
      <p>
        <a href={links.apiKey(apiKey.id)}>{texts.showDetails}</a> ·{' '}
        <a href={links.revokeApiKey(apiKey.id)}>{texts.revokeThatKey}</a>
      </p>
    </Notice>
  );
}
