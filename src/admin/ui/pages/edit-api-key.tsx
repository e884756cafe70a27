import type { Context } from 'hono';
import { type ApiKey, type ApiKeyError, isApiKeyError } from '../../../api-keys/index.js';
import { describeFailure } from '../../http/errors.js';
import { requireAvailable } from '../../key-operations.js';
import { EditionNotice } from '../components/edition-notice.js';
import { Page, PageHeader } from '../components/layout.js';
import { Notice } from '../components/notice.js';
import { Status } from '../components/status.js';
import { type ExpiryInput, toExpiresOn } from '../format/expiry-choices.js';
import { FormActions } from '../forms/field.js';
import { KeyFields, type KeyForm, readExpiredForm, readKeyForm } from '../forms/key-fields.js';
import { useShown } from '../look.js';
import type { Submission, Ui } from '../ui.js';
import { WhyNotEditable } from './api-key-details.js';

interface FormView extends KeyForm {
  /** The key as it is stored. */
  readonly apiKey: ApiKey;
  /** From which the form was filled in. @default that of the key */
  readonly version?: number;
}

/** Editing an Active key (specification 3). */
export function editApiKeyRoutes(ui: Ui): void {
  const { apiKeys } = ui.context;
  const show = (c: Context, view: FormView, status?: number) => ui.render(c, <EditApiKey view={view} />, status);

  ui.get('/api-keys/:id/edit', async (c, pageContext) => {
    const apiKey = await apiKeys.get(pageContext.actor, c.req.param('id') ?? '');
    const { name, description } = apiKey;
    const expiry: ExpiryInput = { choice: 'keep', custom: '' };
    return await show(c, { apiKey, name, description: description ?? '', expiry });
  });

  const save: Submission = async (c, pageContext, form) => {
    const id = c.req.param('id') ?? '';
    const { name, expiry } = readKeyForm(form);
    const description = form.get('description') ?? undefined;
    const version = Number(form.get('version'));
    const current = await apiKeys.get(pageContext.actor, id);
    const expiresOn = toExpiresOn(expiry, pageContext, current.expiresOn);
    try {
      await requireAvailable(ui.context, pageContext.actor);
      const apiKey = await apiKeys.update(pageContext.actor, id, { name, description, expiresOn, version });
      ui.flashes.leave(c, ui.look.texts.saved(apiKey.name));
      return c.redirect(ui.links.apiKey(apiKey.id), 303);
    } catch (error) {
      if (!isApiKeyError(error) || error.kind === 'not-found') throw error;
      const apiKey = await apiKeys.get(pageContext.actor, id);
      const view = { apiKey, name, description: description ?? '', expiry, error };
      return await show(c, view, describeFailure(error).status);
    }
  };
  ui.post('/api-keys/:id/edit', save, async (c, pageContext, form) => {
    const apiKey = await apiKeys.get(pageContext.actor, c.req.param('id') ?? '');
    return await show(c, { ...readExpiredForm(form), apiKey, version: Number(form.get('version')) }, 403);
  });
}

function EditApiKey({ view }: { view: FormView }) {
  const { isAvailable, links, texts } = useShown();
  const { apiKey, error, version = apiKey.version } = view;
  const details = links.apiKey(apiKey.id);
  const isActive = apiKey.status === 'Active';
  const canEdit = isActive && isAvailable;
  return (
    <Page
      title={error === undefined ? texts.editNamed(apiKey.name) : texts.error(texts.editNamed(apiKey.name))}
      section="api-keys"
    >
      <PageHeader
        title={texts.editApiKey}
        back={{ href: details, text: apiKey.name }}
        beside={<Status status={apiKey.status} />}
      />
      {isActive && !isAvailable && <EditionNotice />}
      {!isActive && (
        <Notice kind="neutral" focused={error !== undefined}>
          <WhyNotEditable apiKey={apiKey} />
        </Notice>
      )}
      {canEdit && error !== undefined && error.fieldErrors.length === 0 && (
        <ChangedMeanwhile apiKey={apiKey} error={error} />
      )}
      <form class="card narrow" method="post" action={links.editApiKey(apiKey.id)} novalidate>
        <fieldset {...(!canEdit && { disabled: true })}>
          <legend class="visually-hidden">{texts.editNamed(apiKey.name)}</legend>
          <div class="card-body stack">
            <input type="hidden" name="version" value={String(version)} />
            <KeyFields form={view} current={apiKey.expiresOn} canEdit={canEdit} />
          </div>
        </fieldset>
        <FormActions cancel={details} submit={texts.saveChanges} disabled={!canEdit} />
      </form>
    </Page>
  );
}

/** Somebody else changed the key first: keep the input, and show what is stored (rule K17). */
function ChangedMeanwhile({ apiKey, error }: { apiKey: ApiKey; error: ApiKeyError }) {
  const { dates, texts } = useShown();
  if (error.kind !== 'conflict') {
    return (
      <Notice kind="danger" focused>
        {texts.message(error.message)}
      </Notice>
    );
  }
  return (
    <Notice kind="warning" focused>
      <strong>{texts.changedMeanwhile}</strong>
      <p>{texts.changedMeanwhileHint(apiKey.name, dates.exact(apiKey.expiresOn), apiKey.description)}</p>
    </Notice>
  );
}
