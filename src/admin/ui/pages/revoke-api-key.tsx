import { type ApiKey, isApiKeyError } from '../../../api-keys/index.js';
import { readListView } from '../addresses/list-query.js';
import { Page } from '../components/layout.js';
import { Status } from '../components/status.js';
import { Confirmation, NothingToRevoke } from '../forms/confirmation.js';
import { useLastUse } from '../forms/revoke-dialog.js';
import { useShown } from '../look.js';
import type { Ui } from '../ui.js';
import { WhyNotEditable } from './api-key-details.js';

/** Revoking a key: the dialog posts here; without script this page asks for confirmation. */
export function revokeApiKeyRoutes(ui: Ui): void {
  const { apiKeys } = ui.context;

  ui.get('/api-keys/:id/revoke', async (c, pageContext) => {
    const apiKey = await apiKeys.get(pageContext.actor, c.req.param('id') ?? '');
    const { pathname, search } = new URL(c.req.url);
    const back = backTo(c.req.query('list'), apiKey.id);
    return await ui.render(c, <RevokeApiKey apiKey={apiKey} action={pathname + search} back={back} />);
  });

  ui.post('/api-keys/:id/revoke', async (c, pageContext) => {
    const id = c.req.param('id') ?? '';
    const back = backTo(c.req.query('list'), id);
    try {
      const apiKey = await apiKeys.revoke(pageContext.actor, id);
      ui.flashes.leave(c, ui.look.texts.hasBeenRevoked(apiKey.name));
      return c.redirect(back, 303);
    } catch (error) {
      if (!isApiKeyError(error, 'conflict')) throw error;
      const apiKey = await apiKeys.get(pageContext.actor, id);
      return await ui.render(c, <RevokeApiKey apiKey={apiKey} action="" back={back} />, 409);
    }
  });

  function backTo(list: string | undefined, id: string): string {
    if (list === undefined) return ui.links.apiKey(id);
    return ui.links.apiKeys(readListView(new URLSearchParams(list)));
  }
}

function RevokeApiKey({ apiKey, action, back }: { apiKey: ApiKey; action: string; back: string }) {
  const { links, texts } = useShown();
  const { name, createdBy, status } = apiKey;
  if (status !== 'Active') {
    const title = texts.nothingToRevokeTitle(name);
    return (
      <NothingToRevoke title={title} heading={name} beside={<Status status={status} />} back={back}>
        <WhyNotEditable apiKey={apiKey} />
      </NothingToRevoke>
    );
  }
  return (
    <Page title={texts.revokeNamed(name)} section="api-keys">
      <Confirmation action={action} cancel={back} submit={texts.revokeApiKey}>
        <h1>{texts.revokeQuestion(name)}</h1>
        <p class="muted">
          {texts.createdByName(createdBy.username)}
          <br />
          {texts.lastUsed(useLastUse(apiKey))}
        </p>
        <p>{texts.revocationConsequences}</p>
        <p>
          <a href={links.revokeAllOf(createdBy.id)}>{texts.revokeAllOf(createdBy.username)}</a>
        </p>
      </Confirmation>
    </Page>
  );
}
