import type { Hono } from 'hono';
import type { ApiKey, AuditEntry } from '../../../api-keys/index.js';
import { AuditTable } from '../components/audit-table.js';
import { EditionNotice, editionNoticeId } from '../components/edition-notice.js';
import { Page, PageHeader } from '../components/layout.js';
import { Notice } from '../components/notice.js';
import { RevokeDialog, RevokeLink } from '../components/revoke-dialog.js';
import { Status, textOfStatus } from '../components/status.js';
import { FullTime } from '../components/time.js';
import { expiresSoon, isUsedInVain } from '../format/warnings.js';
import { useLook } from '../look.js';
import type { PageContext } from '../page-context.js';
import { render, type Ui } from '../ui.js';
import { RecentUses } from './recent-uses.js';

const shownAudits = 5;

/** One key, without its value. */
export function apiKeyDetailsRoutes(app: Hono, ui: Ui): void {
  app.get(
    '/api-keys/:id',
    ui.signedIn(async (c, pageContext) => {
      const { apiKeys } = ui.context;
      const apiKey = await apiKeys.get(pageContext.actor, c.req.param('id') ?? '');
      const audits = await apiKeys.audits(pageContext.actor, { apiKeyId: apiKey.id, limit: shownAudits });
      return await render(c, <ApiKeyDetails pageContext={pageContext} apiKey={apiKey} audits={audits.items} />);
    }),
  );
}

interface KeyProps {
  pageContext: PageContext;
  apiKey: ApiKey;
}

interface ApiKeyDetailsProps extends KeyProps {
  audits: readonly AuditEntry[];
}

function ApiKeyDetails({ pageContext, apiKey, audits }: ApiKeyDetailsProps) {
  const { links, nowMs } = pageContext;
  const { dates, texts } = useLook();
  const isActive = apiKey.status === 'Active';
  return (
    <Page pageContext={pageContext} title={apiKey.name} section="api-keys">
      <PageHeader
        title={apiKey.name}
        back={{ href: links.apiKeys(), text: texts.apiKeys }}
        beside={<Status status={apiKey.status} />}
        actions={
          <>
            <ReplaceButton pageContext={pageContext} apiKey={apiKey} />
            <EditButton pageContext={pageContext} apiKey={apiKey} />
            {isActive && <RevokeLink pageContext={pageContext} apiKey={apiKey} />}
          </>
        }
      />
      {isActive && !pageContext.isAvailable && <EditionNotice />}
      {!isActive && (
        <Notice kind="neutral" id="terminal">
          <WhyNotEditable pageContext={pageContext} apiKey={apiKey} />
        </Notice>
      )}
      {pageContext.isAvailable && expiresSoon(apiKey, nowMs) && (
        <Notice kind="warning">
          <strong>{texts.expiresAt(dates.relative(apiKey.expiresOn, nowMs))}</strong>
          <p>{texts.expiresSoonHint}</p>
        </Notice>
      )}
      {isUsedInVain(apiKey) && apiKey.lastRefusedOn !== null && (
        <Notice kind="warning">
          <strong>{texts.stillUsed}</strong>
          <p>{texts.stillUsedHint(apiKey.refusedUses, endOf(apiKey), dates.exact(apiKey.lastRefusedOn))}</p>
        </Notice>
      )}
      <Facts pageContext={pageContext} apiKey={apiKey} />
      <RecentUses apiKey={apiKey} nowMs={nowMs} />
      <section class="card" aria-labelledby="history">
        <div class="card-header">
          <h2 id="history">{texts.history}</h2>
          <a href={links.audits({ apiKeyId: apiKey.id })}>{texts.auditsOfKey}</a>
        </div>
        <AuditTable pageContext={pageContext} entries={audits} />
      </section>
      {isActive && <RevokeDialog pageContext={pageContext} />}
    </Page>
  );
}

/** Only for the user's own keys: a new key acts as whoever creates it (rule K16). */
function ReplaceButton({ pageContext, apiKey }: KeyProps) {
  const { isAvailable, links, user } = pageContext;
  if (!isAvailable || apiKey.createdBy.id !== user.id) return null;
  return (
    <a class="button" href={links.replaceApiKey(apiKey.id)}>
      {useLook().texts.replaceApiKey}
    </a>
  );
}

function EditButton({ pageContext, apiKey }: KeyProps) {
  const { texts } = useLook();
  if (apiKey.status === 'Active' && pageContext.isAvailable) {
    return (
      <a class="button" href={pageContext.links.editApiKey(apiKey.id)}>
        {texts.edit}
      </a>
    );
  }
  const reasonId = apiKey.status === 'Active' ? editionNoticeId : 'terminal';
  return (
    <button class="button" type="button" disabled aria-describedby={reasonId}>
      {texts.edit}
    </button>
  );
}

/** Explains a terminal status (specification 3), and leads to what is still possible. */
export function WhyNotEditable({ pageContext, apiKey }: KeyProps) {
  const { isAvailable, links, nowMs, user } = pageContext;
  const { dates, texts } = useLook();
  const isOwn = apiKey.createdBy.id === user.id;
  return (
    <p>
      {texts.hasEnded(endOf(apiKey), dates.relative(apiKey.revokedOn ?? apiKey.expiresOn, nowMs))}{' '}
      {isAvailable && <a href={isOwn ? links.replaceApiKey(apiKey.id) : links.newApiKey}>{texts.createInstead}</a>}
    </p>
  );
}

function endOf({ status }: ApiKey): 'Expired' | 'Revoked' {
  return status === 'Revoked' ? 'Revoked' : 'Expired';
}

function Facts({ pageContext, apiKey }: KeyProps) {
  const { links, mayManageAll, nowMs } = pageContext;
  const { keyPrefix, texts } = useLook();
  const { id: createdBy, username } = apiKey.createdBy;
  return (
    <section class="card" aria-label={texts.details}>
      <dl class="facts">
        <div>
          <dt>{texts.name}</dt>
          <dd>{apiKey.name}</dd>
        </div>
        <div>
          <dt>{texts.status}</dt>
          <dd>{textOfStatus(apiKey.status, texts)}</dd>
        </div>
        {apiKey.description !== null && (
          <div>
            <dt>{texts.description}</dt>
            <dd class="free-text">{apiKey.description}</dd>
          </div>
        )}
        <div>
          <dt>{texts.createdBy}</dt>
          <dd>{mayManageAll ? <a href={links.apiKeys({ scope: 'all', createdBy })}>{username}</a> : username}</dd>
        </div>
        <div>
          <dt>{texts.createdOn}</dt>
          <dd>
            <FullTime time={apiKey.createdOn} nowMs={nowMs} />
          </dd>
        </div>
        <div>
          <dt>{texts.expiresOn}</dt>
          <dd>
            <FullTime time={apiKey.expiresOn} nowMs={nowMs} />
          </dd>
        </div>
        {apiKey.revokedOn !== null && (
          <div>
            <dt>{texts.revokedOn}</dt>
            <dd>
              <FullTime time={apiKey.revokedOn} nowMs={nowMs} />
            </dd>
          </div>
        )}
        <div>
          <dt>{texts.lastAccessed}</dt>
          <dd>{apiKey.lastAccessed === null ? texts.never : <FullTime time={apiKey.lastAccessed} nowMs={nowMs} />}</dd>
        </div>
        <div>
          <dt>{texts.key}</dt>
          <dd>
            <code>
              {keyPrefix}_{apiKey.id}…
            </code>{' '}
            <span class="muted">{texts.shownOnce}</span>
          </dd>
        </div>
      </dl>
    </section>
  );
}
