import {
  type ApiKey,
  type AuditEntry,
  type AuditQuery,
  maxPageLimit,
  type Page as PageOf,
} from '../../../api-keys/index.js';
import { asShown } from '../../../internal/index.js';
import { exportAudits, exportFormats } from '../../audit-export.js';
import { AdminHttpError } from '../../http/errors.js';
import { type AuditView, auditFilter, isFiltered, readAuditView, withoutWrongDates } from '../addresses/audit-query.js';
import { lastPage, placeOf } from '../addresses/paging.js';
import { withoutSecret } from '../addresses/pasted-key.js';
import { AuditTable } from '../components/audit-table.js';
import { AuditToolbar } from '../components/audit-toolbar.js';
import { Empty } from '../components/empty.js';
import { Icon } from '../components/icon.js';
import { Page, PageHeader } from '../components/layout.js';
import { LinkButton } from '../components/link-button.js';
import { Notice } from '../components/notice.js';
import { Pager } from '../components/pager.js';
import { useShown } from '../look.js';
import { type PageContext, readPageContext } from '../page-context.js';
import type { Ui } from '../ui.js';

const offeredKeys = 10;
const noEntries: PageOf<AuditEntry> = { items: [], nextCursor: null };

/** `Administration → API key audits` (specification 2.2 and 6). */
export function auditRoutes(ui: Ui): void {
  const { apiKeys } = ui.context;

  ui.get('/api-key-audits', async (c, pageContext) => {
    const query = new URL(c.req.url).searchParams;
    const find = query.get('find') ?? '';
    if (withoutSecret(find) !== find) return c.redirect(ui.links.audits(readAuditView(withoutWrongDates(query))), 303);
    const view = readAuditView(query);
    const found = view.find === '' ? undefined : await findKeys(pageContext, view.find);
    const [only] = found ?? [];
    if (only !== undefined && found?.length === 1) {
      return c.redirect(ui.links.audits({ ...view, find: '', apiKeyId: only.id }), 303);
    }
    const apiKey = view.apiKeyId === undefined ? undefined : await apiKeys.get(pageContext.actor, view.apiKeyId);
    const asked = { ...auditFilter(view), ...placeOf(view.page), total: true };
    const page = found === undefined ? await apiKeys.audits(pageContext.actor, asked) : noEntries;
    if (page.items.length === 0 && view.page > 1) {
      return c.redirect(ui.links.audits({ ...view, page: lastPage(1, page) }), 303);
    }
    return await ui.render(c, <Audits view={view} page={page} apiKey={apiKey} found={found} />);
  });

  ui.get('/api-key-audits/export', async (c) => {
    const query = new URL(c.req.url).searchParams;
    const readPage = async (page: AuditQuery) => {
      const now = await readPageContext(ui, c);
      if (now === undefined) throw new AdminHttpError(401, 'Signed out during the export.');
      return await apiKeys.audits(now.actor, page);
    };
    const format = query.get('format');
    return await exportAudits(readPage, { ...auditFilter(readAuditView(query)), format }, ui.context.onError);
  });

  // Posted like the search of the list: it may be a whole key.
  ui.post('/api-key-audits', (c, _, form) => c.redirect(ui.links.audits(readAuditView(form)), 303));

  /** The keys that a search may mean; one key if the text is its whole name. */
  async function findKeys({ actor, mayManageAll }: PageContext, text: string): Promise<readonly ApiKey[]> {
    const scope = mayManageAll ? 'all' : 'my';
    const { items } = await apiKeys.list(actor, { scope, search: text, sort: 'name', limit: maxPageLimit });
    const exact = items.find(({ name }) => name === asShown(text));
    return exact === undefined ? items.slice(0, offeredKeys) : [exact];
  }
}

interface AuditsProps {
  view: AuditView;
  page: PageOf<AuditEntry>;
  /** The key whose entries are shown, if only one is. */
  apiKey: ApiKey | undefined;
  /** The keys that a search found. */
  found: readonly ApiKey[] | undefined;
}

function Audits({ view, page, apiKey, found }: AuditsProps) {
  const { links, texts } = useShown();
  return (
    <Page title={texts.audits} section="audits">
      <PageHeader title={texts.audits} actions={<ExportLinks view={view} />}>
        {texts.auditsIntroduction}
      </PageHeader>
      <AuditToolbar view={view} />
      {apiKey !== undefined && (
        <Notice kind="neutral">
          <p>
            {texts.onlyAuditsOf} <a href={links.apiKey(apiKey.id)}>{apiKey.name}</a>.{' '}
            <a href={links.audits({ ...view, apiKeyId: undefined, page: 1 })}>{texts.showAllKeys}</a>
          </p>
        </Notice>
      )}
      {found !== undefined ? (
        <FoundKeys view={view} found={found} />
      ) : (
        <section class="card" aria-label={texts.auditEntries}>
          {page.items.length === 0 ? (
            <NoEntries view={view} />
          ) : (
            <>
              <AuditTable entries={page.items} />
              <Pager
                page={view.page}
                list={page}
                count={texts.auditCount}
                href={(number) => links.audits({ ...view, page: number })}
              >
                {texts.newestFirst} {texts.timesInUtc}
              </Pager>
            </>
          )}
        </section>
      )}
    </Page>
  );
}

function FoundKeys({ view, found }: { view: AuditView; found: readonly ApiKey[] }) {
  const { links, texts } = useShown();
  if (found.length === 0) {
    return (
      <section class="card">
        <Empty icon="search" title={texts.noKeyMatches(view.find)} hint={texts.noKeyMatchesHint}>
          <LinkButton href={links.audits({ ...view, find: '' })}>{texts.showAllAudits}</LinkButton>
        </Empty>
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
            <a href={links.audits({ ...view, find: '', apiKeyId: id })}>{name}</a>{' '}
            <span class="muted">{texts.by(createdBy.username)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ExportLinks({ view }: { view: AuditView }) {
  const { links, texts } = useShown();
  return exportFormats.map((format) => (
    <a class="button" href={links.auditExport(view, format)}>
      <Icon name="download" />
      {texts.exportAs(format.toUpperCase())}
    </a>
  ));
}

function NoEntries({ view }: { view: AuditView }) {
  const { links, texts } = useShown();
  if (view.revisionType === undefined && !isFiltered(view)) {
    return <Empty icon="history" title={texts.noAudits} hint={texts.noAuditsHint} />;
  }
  return (
    <Empty icon="search" title={texts.noAuditMatches} hint={texts.noAuditMatchesHint}>
      <LinkButton href={links.audits({ apiKeyId: view.apiKeyId })}>{texts.clearFilters}</LinkButton>
    </Empty>
  );
}
