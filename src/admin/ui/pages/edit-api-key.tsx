import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { type ApiKey, type ApiKeyError, isApiKeyError } from '../../../api-keys/index.js';
import { statusOfApiKeyError } from '../../http/errors.js';
import { requireAvailable } from '../../key-operations.js';
import { EditionNotice } from '../components/edition-notice.js';
import { ExpiryField, FixedExpiryField } from '../components/expiry-field.js';
import { DescriptionField, FormActions, TextField } from '../components/field.js';
import { Page, PageHeader, Token } from '../components/layout.js';
import { Notice } from '../components/notice.js';
import { Status } from '../components/status.js';
import { type ExpiryInput, readExpiryInput, toExpiresOn } from '../format/expiry-choices.js';
import { useLook } from '../look.js';
import type { PageContext } from '../page-context.js';
import { render, type Ui } from '../ui.js';
import { WhyNotEditable } from './api-key-details.js';

interface FormView {
  /** The key as it is stored. */
  readonly apiKey: ApiKey;
  readonly name: string;
  readonly description: string;
  readonly expiry: ExpiryInput;
  readonly error?: ApiKeyError;
}

/** Editing an Active key (specification 3). */
export function editApiKeyRoutes(app: Hono, ui: Ui): void {
  const { apiKeys } = ui.context;
  const show = (c: Context, pageContext: PageContext, view: FormView, status?: ContentfulStatusCode) =>
    render(c, <EditApiKey pageContext={pageContext} view={view} maxExpiresOn={apiKeys.maxExpiresOn()} />, status);

  app.get(
    '/api-keys/:id/edit',
    ui.signedIn(async (c, pageContext) => {
      const apiKey = await apiKeys.get(pageContext.actor, c.req.param('id') ?? '');
      const { name, description } = apiKey;
      const expiry: ExpiryInput = { choice: 'keep', custom: '' };
      return await show(c, pageContext, { apiKey, name, description: description ?? '', expiry });
    }),
  );

  app.post(
    '/api-keys/:id/edit',
    ui.submitted(async (c, pageContext, form) => {
      const id = c.req.param('id') ?? '';
      const name = form.get('name') ?? '';
      const description = form.get('description') ?? undefined;
      const expiry = readExpiryInput(form);
      const version = Number(form.get('version'));
      const expiresOn = toExpiresOn(expiry, { nowMs: pageContext.nowMs, maxExpiresOn: apiKeys.maxExpiresOn() });
      try {
        await requireAvailable(ui.context, pageContext.actor);
        const apiKey = await apiKeys.update(pageContext.actor, id, { name, description, expiresOn, version });
        ui.flashes.leave(c, ui.look.texts.saved(apiKey.name));
        return c.redirect(ui.links.apiKey(apiKey.id), 303);
      } catch (error) {
        if (!isApiKeyError(error) || error.kind === 'not-found') throw error;
        const apiKey = await apiKeys.get(pageContext.actor, id);
        return await show(
          c,
          pageContext,
          { apiKey, name, description: description ?? '', expiry, error },
          statusOfApiKeyError(error) as ContentfulStatusCode,
        );
      }
    }),
  );
}

interface EditApiKeyProps {
  pageContext: PageContext;
  view: FormView;
  maxExpiresOn: string;
}

function EditApiKey({ pageContext, view, maxExpiresOn }: EditApiKeyProps) {
  const { links, nowMs } = pageContext;
  const { texts } = useLook();
  const { apiKey, name, description, expiry, error } = view;
  const details = links.apiKey(apiKey.id);
  const isActive = apiKey.status === 'Active';
  const canEdit = isActive && pageContext.isAvailable;
  const messageFor = (field: string) => error?.fieldErrors.find((one) => one.field === field)?.message;
  const nameError = messageFor('name');
  const descriptionError = messageFor('description');
  const expiryError = messageFor('expiresOn');
  return (
    <Page
      pageContext={pageContext}
      title={error === undefined ? texts.editNamed(apiKey.name) : texts.error(texts.editNamed(apiKey.name))}
      section="api-keys"
    >
      <PageHeader
        title={texts.editApiKey}
        back={{ href: details, text: apiKey.name }}
        beside={<Status status={apiKey.status} />}
      />
      {isActive && !pageContext.isAvailable && <EditionNotice />}
      {!isActive && (
        <Notice kind="neutral" focused={error !== undefined}>
          <WhyNotEditable pageContext={pageContext} apiKey={apiKey} />
        </Notice>
      )}
      {canEdit && error !== undefined && error.fieldErrors.length === 0 && (
        <ChangedMeanwhile apiKey={apiKey} error={error} />
      )}
      <form class="card narrow" method="post" action={links.editApiKey(apiKey.id)} novalidate>
        <fieldset {...(!canEdit && { disabled: true })}>
          <legend class="visually-hidden">{texts.editNamed(apiKey.name)}</legend>
          <div class="card-body stack">
            <Token pageContext={pageContext} />
            <input type="hidden" name="version" value={String(apiKey.version)} />
            <TextField
              id="name"
              name="name"
              label={texts.name}
              value={name}
              error={nameError}
              focused={canEdit && (nameError !== undefined || error === undefined)}
            />
            <DescriptionField
              value={description}
              error={descriptionError}
              focused={nameError === undefined && descriptionError !== undefined}
            />
            {canEdit ? (
              <ExpiryField
                input={expiry}
                current={apiKey.expiresOn}
                nowMs={nowMs}
                maxExpiresOn={maxExpiresOn}
                error={expiryError}
                focused={(nameError ?? descriptionError) === undefined && expiryError !== undefined}
              />
            ) : (
              <FixedExpiryField current={apiKey.expiresOn} />
            )}
          </div>
        </fieldset>
        <FormActions cancel={details} submit={texts.saveChanges} disabled={!canEdit} />
      </form>
    </Page>
  );
}

/** Somebody else changed the key first: keep the input, and show what is stored (rule K17). */
function ChangedMeanwhile({ apiKey, error }: { apiKey: ApiKey; error: ApiKeyError }) {
  const { dates, texts } = useLook();
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
      <p>{texts.changedMeanwhileHint(apiKey.name, dates.exact(apiKey.expiresOn))}</p>
    </Notice>
  );
}
