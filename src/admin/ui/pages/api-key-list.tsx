import type { Hono } from 'hono';
import { type ApiKeyPage, isApiKeyError } from '../../../api-keys/index.js';
import { type ListView, readListView } from '../addresses/list-query.js';
import { firstPage } from '../addresses/paging.js';
import { ApiKeyTable } from '../components/api-key-table.js';
import { EditionNotice, editionNoticeId } from '../components/edition-notice.js';
import { Icon } from '../components/icon.js';
import { Page, PageHeader } from '../components/layout.js';
import { ListToolbar } from '../components/list-toolbar.js';
import { Notice } from '../components/notice.js';
import { Pager } from '../components/pager.js';
import { RevokeDialog } from '../components/revoke-dialog.js';
import { countOf, expiryWarningDays, expiryWarningEndMs } from '../format/warnings.js';
import type { PageContext } from '../page-context.js';
import { render, type Ui } from '../ui.js';

const pageSize = 25;
/** Beyond this the warning says "more than". */
const maxCounted = 20;

/** `Administration → API key`: the list (specification 4). */
export function apiKeyListRoutes(app: Hono, ui: Ui): void {
  const { apiKeys } = ui.context;

  app.get(
    '/api-keys',
    ui.signedIn(async (c, pageContext) => {
      const asked = readListView(new URL(c.req.url).searchParams);
      const view: ListView = pageContext.mayManageAll ? asked : { ...asked, scope: 'my' };
      const page = await loadPage(pageContext, view);
      // The cursor belongs to another order, or was cut off.
      if (page === undefined) return c.redirect(ui.links.apiKeys({ ...view, ...firstPage }), 303);
      const expiring = await countExpiring(pageContext, view);
      return await render(c, <ApiKeyList pageContext={pageContext} view={view} page={page} expiring={expiring} />);
    }),
  );

  async function loadPage({ actor }: PageContext, view: ListView): Promise<ApiKeyPage | undefined> {
    const { scope, status, search, sort, cursor } = view;
    try {
      // Counting one user's keys is fast; counting all is not.
      return await apiKeys.list(actor, { scope, status, search, sort, cursor, limit: pageSize, total: scope === 'my' });
    } catch (error) {
      if (cursor !== undefined && isApiKeyError(error, 'validation')) return undefined;
      throw error;
    }
  }

  async function countExpiring({ actor, nowMs }: PageContext, { scope }: ListView): Promise<number> {
    const query = { scope, status: 'Active', sort: 'expiresOn', limit: maxCounted + 1 } as const;
    const { items } = await apiKeys.list(actor, query);
    return items.filter(({ expiresOn }) => Date.parse(expiresOn) <= expiryWarningEndMs(nowMs)).length;
  }
}

interface ApiKeyListProps {
  pageContext: PageContext;
  view: ListView;
  page: ApiKeyPage;
  expiring: number;
}

function ApiKeyList({ pageContext, view, page, expiring }: ApiKeyListProps) {
  const { links } = pageContext;
  return (
    <Page pageContext={pageContext} title="API keys" section="api-keys">
      <PageHeader title="API keys" actions={<CreateButton pageContext={pageContext} />}>
        API keys let programs use the Admin API and MCP with your permissions and without your password.
      </PageHeader>
      {!pageContext.isAvailable && <EditionNotice />}
      <ExpiryNotice pageContext={pageContext} view={view} expiring={expiring} />
      <ListToolbar pageContext={pageContext} view={view} />
      <section class="card" aria-label="API keys">
        {page.items.length === 0 ? (
          <EmptyList pageContext={pageContext} view={view} />
        ) : (
          <ApiKeyTable pageContext={pageContext} view={view} apiKeys={page.items} />
        )}
        {(page.items.length > 0 || view.cursor !== undefined) && (
          <Pager place={view} nextCursor={page.nextCursor} href={(place) => links.apiKeys({ ...view, ...place })}>
            {page.total !== undefined && `${countOf(page.total, 'API key')}. `}All times are in UTC.
          </Pager>
        )}
      </section>
      <RevokeDialog pageContext={pageContext} />
    </Page>
  );
}

function CreateButton({ pageContext }: { pageContext: PageContext }) {
  if (pageContext.isAvailable) {
    return (
      <a class="button button-primary" href={pageContext.links.newApiKey}>
        <Icon name="plus" />
        Create API key
      </a>
    );
  }
  return (
    <button class="button" type="button" disabled aria-describedby={editionNoticeId}>
      <Icon name="plus" />
      Create API key
    </button>
  );
}

function ExpiryNotice({ pageContext, view, expiring }: { pageContext: PageContext; view: ListView; expiring: number }) {
  if (expiring === 0) return null;
  const number = expiring > maxCounted ? `More than ${maxCounted} API keys` : countOf(expiring, 'API key');
  const href = pageContext.links.apiKeys({ scope: view.scope, status: 'Active', sort: 'expiresOn' });
  return (
    <Notice kind="warning">
      <p>
        <strong>
          {number} {expiring === 1 ? 'expires' : 'expire'} within {expiryWarningDays} days.
        </strong>{' '}
        Extend or replace {expiring === 1 ? 'it' : 'them'} before the programs that use {expiring === 1 ? 'it' : 'them'}{' '}
        are refused. <a href={href}>{expiring === 1 ? 'Show the key' : 'Show these keys'}</a>
      </p>
    </Notice>
  );
}

function EmptyList({ pageContext, view }: { pageContext: PageContext; view: ListView }) {
  const { links } = pageContext;
  const isFiltered = view.status !== undefined || view.search !== '' || view.cursor !== undefined;
  if (isFiltered) {
    return (
      <div class="empty">
        <Icon name="search" />
        <h2>No API key matches</h2>
        <p>There is no key with this status and this search. Try other words, or look at all of them.</p>
        <a class="button" href={links.apiKeys({ scope: view.scope })}>
          Clear the filters
        </a>
      </div>
    );
  }
  return (
    <div class="empty">
      <Icon name="key" />
      <h2>{view.scope === 'all' ? 'No API keys' : 'You have no API keys yet'}</h2>
      <p>
        {pageContext.isAvailable
          ? 'Create one for each program that uses the Admin API or MCP, so that each can be revoked without stopping the others.'
          : 'None can be created with the present edition.'}
      </p>
      {pageContext.isAvailable && (
        <a class="button button-primary" href={links.newApiKey}>
          <Icon name="plus" />
          Create your first API key
        </a>
      )}
    </div>
  );
}
