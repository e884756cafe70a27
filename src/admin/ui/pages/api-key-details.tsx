import type { Hono } from 'hono';
import type { ApiKey, AuditEntry } from '../../../api-keys/index.js';
import { AuditTable } from '../components/audit-table.js';
import { EditionNotice, editionNoticeId } from '../components/edition-notice.js';
import { Page, PageHeader } from '../components/layout.js';
import { Notice } from '../components/notice.js';
import { RevokeDialog, RevokeLink } from '../components/revoke-dialog.js';
import { Status } from '../components/status.js';
import { FullTime } from '../components/time.js';
import { formatExact, formatRelative } from '../format/times.js';
import { countOf, expiresSoon, isUsedInVain } from '../format/warnings.js';
import { useLook } from '../look.js';
import type { PageContext } from '../page-context.js';
import { render, type Ui } from '../ui.js';

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

interface ApiKeyDetailsProps {
  pageContext: PageContext;
  apiKey: ApiKey;
  audits: readonly AuditEntry[];
}

function ApiKeyDetails({ pageContext, apiKey, audits }: ApiKeyDetailsProps) {
  const { links, nowMs } = pageContext;
  const isActive = apiKey.status === 'Active';
  return (
    <Page pageContext={pageContext} title={apiKey.name} section="api-keys">
      <PageHeader
        title={apiKey.name}
        back={{ href: links.apiKeys(), text: 'API keys' }}
        beside={<Status status={apiKey.status} />}
        actions={
          <>
            <EditButton pageContext={pageContext} apiKey={apiKey} />
            {isActive && <RevokeLink pageContext={pageContext} apiKey={apiKey} />}
          </>
        }
      />
      {isActive && !pageContext.isAvailable && <EditionNotice />}
      {!isActive && (
        <Notice kind="neutral" id="terminal">
          {whyNotEditable(apiKey, nowMs)}
        </Notice>
      )}
      {expiresSoon(apiKey, nowMs) && (
        <Notice kind="warning">
          <strong>This key expires {formatRelative(apiKey.expiresOn, nowMs)}.</strong>
          <p>Give it a later expiry, or create a new key and switch the programs over to it in time.</p>
        </Notice>
      )}
      {isUsedInVain(apiKey) && apiKey.lastRefusedOn !== null && (
        <Notice kind="warning">
          <strong>Something still uses this key.</strong>
          <p>
            It was presented in {countOf(apiKey.refusedUses, 'request')} after it had{' '}
            {apiKey.status === 'Revoked' ? 'been revoked' : 'expired'}, last on{' '}
            <time datetime={apiKey.lastRefusedOn}>{formatExact(apiKey.lastRefusedOn)}</time>. Every one was refused.
            Find the program that sends them and give it a new key.
          </p>
        </Notice>
      )}
      <Facts apiKey={apiKey} nowMs={nowMs} />
      <section class="card" aria-labelledby="history">
        <div class="card-header">
          <h2 id="history">History</h2>
          <a href={links.audits({ apiKeyId: apiKey.id })}>All audits of this key</a>
        </div>
        <AuditTable pageContext={pageContext} entries={audits} />
      </section>
      {isActive && <RevokeDialog pageContext={pageContext} />}
    </Page>
  );
}

function EditButton({ pageContext, apiKey }: { pageContext: PageContext; apiKey: ApiKey }) {
  if (apiKey.status === 'Active' && pageContext.isAvailable) {
    return (
      <a class="button" href={pageContext.links.editApiKey(apiKey.id)}>
        Edit
      </a>
    );
  }
  const reasonId = apiKey.status === 'Active' ? editionNoticeId : 'terminal';
  return (
    <button class="button" type="button" disabled aria-describedby={reasonId}>
      Edit
    </button>
  );
}

/** Explains a terminal status (specification 3). */
export function whyNotEditable(apiKey: ApiKey, nowMs: number): string {
  const since = apiKey.revokedOn ?? apiKey.expiresOn;
  const happened = apiKey.status === 'Revoked' ? 'was revoked' : 'expired';
  return `This key ${happened} ${formatRelative(since, nowMs)}. Only an Active key can be edited or revoked, and this one can never be used again. Create a new key instead.`;
}

function Facts({ apiKey, nowMs }: { apiKey: ApiKey; nowMs: number }) {
  return (
    <section class="card" aria-label="Details">
      <dl class="facts">
        <div>
          <dt>Name</dt>
          <dd>{apiKey.name}</dd>
        </div>
        <div>
          <dt>Status</dt>
          <dd>{apiKey.status}</dd>
        </div>
        <div>
          <dt>Created By</dt>
          <dd>{apiKey.createdBy.username}</dd>
        </div>
        <div>
          <dt>Created on</dt>
          <dd>
            <FullTime time={apiKey.createdOn} nowMs={nowMs} />
          </dd>
        </div>
        <div>
          <dt>Expires on</dt>
          <dd>
            <FullTime time={apiKey.expiresOn} nowMs={nowMs} />
          </dd>
        </div>
        {apiKey.revokedOn !== null && (
          <div>
            <dt>Revoked on</dt>
            <dd>
              <FullTime time={apiKey.revokedOn} nowMs={nowMs} />
            </dd>
          </div>
        )}
        <div>
          <dt>Last accessed</dt>
          <dd>{apiKey.lastAccessed === null ? 'Never' : <FullTime time={apiKey.lastAccessed} nowMs={nowMs} />}</dd>
        </div>
        <div>
          <dt>Key</dt>
          <dd>
            <code>
              {useLook().keyPrefix}_{apiKey.id}…
            </code>{' '}
            <span class="muted">The rest was shown once, when the key was created, and is stored nowhere.</span>
          </dd>
        </div>
      </dl>
    </section>
  );
}
