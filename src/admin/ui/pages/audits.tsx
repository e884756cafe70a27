import type { Hono } from 'hono';
import {
  type ApiKey,
  type AuditEntry,
  isApiKeyError,
  maxSearchCharacters,
  type Page as PageOf,
  revisionTypes,
} from '../../../api-keys/index.js';
import { type AuditView, readAuditView } from '../addresses/audit-query.js';
import { idOfValue } from '../addresses/leaked-key.js';
import { firstPage } from '../addresses/paging.js';
import { AuditTable } from '../components/audit-table.js';
import { Icon } from '../components/icon.js';
import { Page, PageHeader, Token } from '../components/layout.js';
import { Segments } from '../components/list-toolbar.js';
import { Notice } from '../components/notice.js';
import { Pager } from '../components/pager.js';
import { ZoneRemark } from '../components/time.js';
import { useLook } from '../look.js';
import type { PageContext } from '../page-context.js';
import { render, type Ui } from '../ui.js';

const pageSize = 25;
const offeredKeys = 10;

/** `Administration → API key audits` (specification 2.2 and 6). */
export function auditRoutes(app: Hono, ui: Ui): void {
  const { apiKeys } = ui.context;

  app.get(
    '/api-key-audits',
    ui.signedIn(async (c, pageContext) => {
      const query = new URL(c.req.url).searchParams;
      const view = readAuditView(query);
      if (idOfValue(query.get('find') ?? '') !== undefined) return c.redirect(ui.links.audits(view), 303);
      const found = view.find === '' ? undefined : await findKeys(pageContext, view.find);
      const [only] = found ?? [];
      if (only !== undefined && found?.length === 1) {
        return c.redirect(ui.links.audits({ revisionType: view.revisionType, apiKeyId: only.id }), 303);
      }
      const apiKey = view.apiKeyId === undefined ? undefined : await apiKeys.get(pageContext.actor, view.apiKeyId);
      const page = found === undefined ? await loadPage(pageContext, view) : { items: [], nextCursor: null };
      if (page === undefined) return c.redirect(ui.links.audits({ ...view, ...firstPage }), 303);
      return await render(
        c,
        <Audits pageContext={pageContext} view={view} page={page} apiKey={apiKey} found={found} />,
      );
    }),
  );

  // Posted like the search of the list: it may be a whole key.
  app.post(
    '/api-key-audits',
    ui.submitted((c, _, form) => c.redirect(ui.links.audits(readAuditView(form)), 303)),
  );

  /** The keys that a search may mean; one key if the text is its whole name. */
  async function findKeys({ actor, mayManageAll }: PageContext, text: string): Promise<readonly ApiKey[]> {
    const scope = mayManageAll ? 'all' : 'my';
    const { items } = await apiKeys.list(actor, { scope, search: text, sort: 'name', limit: offeredKeys });
    const exact = items.find(({ name }) => name === text.normalize('NFC'));
    return exact === undefined ? items : [exact];
  }

  async function loadPage({ actor }: PageContext, view: AuditView): Promise<PageOf<AuditEntry> | undefined> {
    const { apiKeyId, revisionType, cursor } = view;
    try {
      return await apiKeys.audits(actor, { apiKeyId, revisionType, cursor, limit: pageSize });
    } catch (error) {
      if (cursor !== undefined && isApiKeyError(error, 'validation')) return undefined;
      throw error;
    }
  }
}

interface AuditsProps {
  pageContext: PageContext;
  view: AuditView;
  page: PageOf<AuditEntry>;
  /** The key whose entries are shown, if only one is. */
  apiKey: ApiKey | undefined;
  /** The keys that a search found. */
  found: readonly ApiKey[] | undefined;
}

function Audits({ pageContext, view, page, apiKey, found }: AuditsProps) {
  const { links } = pageContext;
  const { texts } = useLook();
  const hasPager = page.items.length > 0 || view.cursor !== undefined;
  return (
    <Page pageContext={pageContext} title={texts.audits} section="audits">
      <PageHeader title={texts.audits}>{texts.auditsIntroduction}</PageHeader>
      <Toolbar pageContext={pageContext} view={view} />
      {apiKey !== undefined && (
        <Notice kind="neutral">
          <p>
            {texts.onlyAuditsOf} <a href={links.apiKey(apiKey.id)}>{apiKey.name}</a>.{' '}
            <a href={links.audits({ revisionType: view.revisionType })}>{texts.showAllKeys}</a>
          </p>
        </Notice>
      )}
      {found !== undefined ? (
        <FoundKeys pageContext={pageContext} view={view} found={found} />
      ) : (
        <section class="card" aria-label={texts.auditEntries}>
          {page.items.length === 0 ? <NoEntries /> : <AuditTable pageContext={pageContext} entries={page.items} />}
          {hasPager && (
            <Pager place={view} nextCursor={page.nextCursor} href={(place) => links.audits({ ...view, ...place })}>
              {texts.newestFirst} <ZoneRemark />
            </Pager>
          )}
        </section>
      )}
    </Page>
  );
}

function Toolbar({ pageContext, view }: { pageContext: PageContext; view: AuditView }) {
  const { links } = pageContext;
  const { texts } = useLook();
  const href = (revisionType: AuditView['revisionType']) => links.audits({ ...view, ...firstPage, revisionType });
  return (
    <div class="toolbar">
      <Segments
        label={texts.revisionType}
        entries={[
          { text: texts.all, href: href(undefined), current: view.revisionType === undefined },
          ...revisionTypes.map((type) => ({
            text: texts.revisionTypes[type],
            href: href(type),
            current: view.revisionType === type,
          })),
        ]}
      />
      <search class="search">
        <form method="post" action={links.audits()}>
          <Token pageContext={pageContext} />
          {view.revisionType !== undefined && <input type="hidden" name="revisionType" value={view.revisionType} />}
          <div class="search-field">
            <label class="visually-hidden" for="find">
              {texts.findKeyLabel}
            </label>
            <Icon name="search" />
            <input
              class="input"
              id="find"
              name="find"
              type="search"
              value={view.find}
              placeholder={texts.findKey}
              maxlength={maxSearchCharacters}
              autocomplete="off"
            />
          </div>
          <button class="button" type="submit">
            {texts.filter}
          </button>
        </form>
      </search>
    </div>
  );
}

function FoundKeys({
  pageContext,
  view,
  found,
}: {
  pageContext: PageContext;
  view: AuditView;
  found: readonly ApiKey[];
}) {
  const { links } = pageContext;
  const { texts } = useLook();
  if (found.length === 0) {
    return (
      <section class="card empty">
        <Icon name="search" />
        <h2>{texts.noKeyMatches(view.find)}</h2>
        <p>{texts.noKeyMatchesHint}</p>
        <a class="button" href={links.audits({ revisionType: view.revisionType })}>
          {texts.showAllAudits}
        </a>
      </section>
    );
  }
  return (
    <section class="card" aria-labelledby="found">
      <div class="card-header">
        <h2 id="found">{texts.whichKey}</h2>
        {found.length === offeredKeys && <span class="muted">{texts.firstMatches(offeredKeys)}</span>}
      </div>
      <ul class="card-body stack">
        {found.map(({ id, name, createdBy }) => (
          <li>
            <a href={links.audits({ revisionType: view.revisionType, apiKeyId: id })}>{name}</a>{' '}
            <span class="muted">{texts.by(createdBy.username)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NoEntries() {
  const { texts } = useLook();
  return (
    <div class="empty">
      <Icon name="history" />
      <h2>{texts.noAudits}</h2>
      <p>{texts.noAuditsHint}</p>
    </div>
  );
}
