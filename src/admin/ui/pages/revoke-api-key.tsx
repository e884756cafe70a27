import type { Hono } from 'hono';
import { type ApiKey, isApiKeyError } from '../../../api-keys/index.js';
import { readListView } from '../addresses/list-query.js';
import { FormActions } from '../components/field.js';
import { Page, PageHeader, Token } from '../components/layout.js';
import { Notice } from '../components/notice.js';
import { lastUse, RevocationConsequences } from '../components/revoke-dialog.js';
import { Status } from '../components/status.js';
import { useLook } from '../look.js';
import type { PageContext } from '../page-context.js';
import { render, type Ui } from '../ui.js';
import { WhyNotEditable } from './api-key-details.js';

/** Revoking a key: the dialog posts here; without script this page asks for confirmation. */
export function revokeApiKeyRoutes(app: Hono, ui: Ui): void {
  const { apiKeys } = ui.context;

  app.get(
    '/api-keys/:id/revoke',
    ui.signedIn(async (c, pageContext) => {
      const apiKey = await apiKeys.get(pageContext.actor, c.req.param('id') ?? '');
      const { pathname, search } = new URL(c.req.url);
      const back = backTo(c.req.query('list'), apiKey.id);
      return await render(
        c,
        <RevokeApiKey pageContext={pageContext} apiKey={apiKey} action={pathname + search} back={back} />,
      );
    }),
  );

  app.post(
    '/api-keys/:id/revoke',
    ui.submitted(async (c, pageContext) => {
      const id = c.req.param('id') ?? '';
      const back = backTo(c.req.query('list'), id);
      try {
        const apiKey = await apiKeys.revoke(pageContext.actor, id);
        ui.flashes.leave(c, ui.look.texts.hasBeenRevoked(apiKey.name));
        return c.redirect(back, 303);
      } catch (error) {
        if (!isApiKeyError(error, 'conflict')) throw error;
        const apiKey = await apiKeys.get(pageContext.actor, id);
        return await render(c, <RevokeApiKey pageContext={pageContext} apiKey={apiKey} action="" back={back} />, 409);
      }
    }),
  );

  function backTo(list: string | undefined, id: string): string {
    if (list === undefined) return ui.links.apiKey(id);
    return ui.links.apiKeys(readListView(new URLSearchParams(list)));
  }
}

interface RevokeApiKeyProps {
  pageContext: PageContext;
  apiKey: ApiKey;
  action: string;
  back: string;
}

function RevokeApiKey({ pageContext, apiKey, action, back }: RevokeApiKeyProps) {
  const { texts } = useLook();
  if (apiKey.status !== 'Active') {
    return (
      <Page pageContext={pageContext} title={texts.nothingToRevokeTitle(apiKey.name)} section="api-keys">
        <PageHeader title={apiKey.name} beside={<Status status={apiKey.status} />} />
        <Notice kind="neutral" focused>
          <strong>{texts.nothingToRevoke}</strong>
          <WhyNotEditable pageContext={pageContext} apiKey={apiKey} />
        </Notice>
        <div class="button-row">
          <a class="button" href={back}>
            {texts.goBack}
          </a>
        </div>
      </Page>
    );
  }
  return (
    <Page pageContext={pageContext} title={texts.revokeNamed(apiKey.name)} section="api-keys">
      <form class="card narrow" method="post" action={action}>
        <Token pageContext={pageContext} />
        <div class="dialog-body">
          <h1>{texts.revokeQuestion(apiKey.name)}</h1>
          <p class="muted">
            {texts.createdByName(apiKey.createdBy.username)}
            <br />
            {texts.lastUsed(lastUse(apiKey, pageContext.nowMs))}
          </p>
          <RevocationConsequences />
          <p>
            <a href={pageContext.links.revokeAllOf(apiKey.createdBy.id)}>
              {texts.revokeAllOf(apiKey.createdBy.username)}
            </a>
          </p>
        </div>
        <FormActions kind="danger" cancel={back} submit={texts.revokeApiKey} />
      </form>
    </Page>
  );
}
