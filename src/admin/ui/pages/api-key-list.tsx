import { type ApiKey, type ApiKeyPage, isApiKeyError } from '../../../api-keys/index.js';
import { type ListView, readListView } from '../addresses/list-query.js';
import { lastPage, placeOf } from '../addresses/paging.js';
import { findPastedKey, startOfId, withoutSecret } from '../addresses/pasted-key.js';
import { ApiKeyTable } from '../components/api-key-table.js';
import { EditionNotice, editionNoticeId } from '../components/edition-notice.js';
import { Empty } from '../components/empty.js';
import { Icon } from '../components/icon.js';
import { Page, PageHeader } from '../components/layout.js';
import { LinkButton } from '../components/link-button.js';
import { ListToolbar } from '../components/list-toolbar.js';
import { Notice } from '../components/notice.js';
import { Pager } from '../components/pager.js';
import { expiryWarningDays, expiryWarningEndMs } from '../format/warnings.js';
import { RevokeDialog } from '../forms/revoke-dialog.js';
import { useShown } from '../look.js';
import type { PageContext } from '../page-context.js';
import type { Ui } from '../ui.js';

/** Beyond this the warning says "more than". */
const maxCounted = 20;
/** Of an id, after the prefix: fewer may also be those of a name, which the search does not take for a key. */
const minStartCharacters = 4;

/** `Administration → API key`: the list (specification 4). */
export function apiKeyListRoutes(ui: Ui): void {
  const { apiKeys } = ui.context;

  ui.get('/api-keys', async (c, pageContext) => {
    const query = new URL(c.req.url).searchParams;
    const asked = readListView(query);
    const search = query.get('search') ?? '';
    if (withoutSecret(search) !== search) return c.redirect(ui.links.apiKeys(asked), 303);
    const view: ListView = pageContext.mayManageAll ? asked : { ...asked, scope: 'my', createdBy: '' };
    const page = await loadPage(pageContext, view);
    if (page.items.length === 0 && view.page > 1) {
      return c.redirect(ui.links.apiKeys({ ...view, page: page.total === undefined ? 1 : lastPage(1, page) }), 303);
    }
    const expiring = pageContext.isAvailable ? await countExpiring(pageContext, view) : 0;
    const creator = await findCreator(pageContext, view, page);
    return await ui.render(c, <ApiKeyList {...{ view, page, expiring, creator }} />);
  });

  // Posted, so that no address and no log holds what somebody looks for: it may be a whole key.
  ui.post('/api-keys', async (c, pageContext, form) => {
    const found = await findByValue(pageContext, form.get('search') ?? '');
    if (found === undefined) return c.redirect(ui.links.apiKeys(readListView(form)), 303);
    ui.flashes.leave(c, ui.look.texts.foundByValue);
    return c.redirect(ui.links.apiKey(found.id), 303);
  });

  async function findByValue({ actor }: PageContext, search: string): Promise<ApiKey | undefined> {
    const id = findPastedKey(search)?.id;
    if (id === undefined) return undefined;
    try {
      return await apiKeys.get(actor, id);
    } catch (error) {
      if (isApiKeyError(error, 'not-found')) return undefined;
      throw error;
    }
  }

  async function loadPage({ actor }: PageContext, view: ListView): Promise<ApiKeyPage> {
    const { scope, createdBy, status, search, sort, page } = view;
    // An index counts all keys. For a search it would have to look at every name.
    const total = scope === 'my' || createdBy !== '' || search === '';
    return await apiKeys.list(actor, { ...whoseKeys(view), status, search, sort, total, ...placeOf(page) });
  }

  /** The name of the only user whose keys are shown, who may be gone. */
  async function findCreator({ actor }: PageContext, { createdBy }: ListView, { items }: ApiKeyPage) {
    if (createdBy === '') return undefined;
    const user = await actor.lookups?.findUser(ui.context.users, createdBy);
    return user?.username ?? items[0]?.createdBy.username ?? createdBy;
  }

  async function countExpiring({ actor, nowMs }: PageContext, view: ListView): Promise<number> {
    const soonest = { status: 'Active', sort: 'expiresOn', limit: maxCounted + 1 } as const;
    const { items } = await apiKeys.list(actor, { ...whoseKeys(view), ...soonest });
    return items.filter(({ expiresOn }) => Date.parse(expiresOn) <= expiryWarningEndMs(nowMs)).length;
  }
}

/** In an address, no user is an empty one. */
const whoseKeys = ({ scope, createdBy }: ListView) => ({ scope, createdBy: createdBy || undefined });

interface ApiKeyListProps {
  view: ListView;
  page: ApiKeyPage;
  expiring: number;
  /** The name of the only user whose keys are shown. */
  creator: string | undefined;
}

function ApiKeyList({ view, page, expiring, creator }: ApiKeyListProps) {
  const { isAvailable, links, texts } = useShown();
  return (
    <Page title={texts.apiKeys} section="api-keys">
      <PageHeader title={texts.apiKeys} actions={<CreateButton />}>
        {texts.listIntroduction}
      </PageHeader>
      {!isAvailable && <EditionNotice />}
      <ExpiryNotice view={view} expiring={expiring} />
      <ListToolbar view={view} />
      {creator !== undefined && (
        <Notice kind="neutral">
          <p>
            {texts.onlyKeysOf(creator)}{' '}
            <a href={links.apiKeys({ ...view, createdBy: '', page: 1 })}>{texts.showAllUsers}</a>
          </p>
        </Notice>
      )}
      {page.items.length > 0 && startOfId(view.search) !== undefined && (
        <Notice kind="neutral">
          <p>{texts.foundByStart(view.search.replace('…', ''))}</p>
        </Notice>
      )}
      <section class="card" aria-label={texts.apiKeys}>
        {page.items.length === 0 ? (
          <EmptyList view={view} />
        ) : (
          <>
            <ApiKeyTable view={view} apiKeys={page.items} />
            <Pager
              page={view.page}
              list={page}
              count={texts.keyCount}
              href={(number) => links.apiKeys({ ...view, page: number })}
            >
              {texts.timesInUtc}
            </Pager>
          </>
        )}
      </section>
      <RevokeDialog />
    </Page>
  );
}

function CreateButton() {
  const { isAvailable, texts } = useShown();
  if (isAvailable) return <CreateLink text={texts.createApiKey} />;
  return (
    <button class="button" type="button" disabled aria-describedby={editionNoticeId}>
      <Icon name="plus" />
      {texts.createApiKey}
    </button>
  );
}

function CreateLink({ text }: { text: string }) {
  return (
    <LinkButton kind="primary" href={useShown().links.newApiKey}>
      <Icon name="plus" />
      {text}
    </LinkButton>
  );
}

function ExpiryNotice({ view, expiring }: { view: ListView; expiring: number }) {
  const { links, texts } = useShown();
  if (expiring === 0) return null;
  const href = links.apiKeys({ ...view, search: '', page: 1, status: 'Active', sort: 'expiresOn' });
  return (
    <Notice kind="warning">
      <p>
        <strong>{texts.expireWithin(expiring, maxCounted, expiryWarningDays)}</strong> {texts.extendInTime(expiring)}{' '}
        <a href={href}>{texts.showThese(expiring)}</a>
      </p>
    </Notice>
  );
}

function EmptyList({ view }: { view: ListView }) {
  const { isAvailable, links, mayManageAll, texts } = useShown();
  if (view.status !== undefined || view.search !== '' || view.createdBy !== '') {
    const isTooShort = (startOfId(view.search)?.length ?? minStartCharacters) < minStartCharacters;
    const hint = isTooShort ? texts.startTooShort(minStartCharacters) : texts.noMatchHint;
    return (
      <Empty icon="search" title={texts.noMatch} hint={hint}>
        <div class="button-row">
          {view.scope === 'my' && view.search !== '' && mayManageAll && (
            <LinkButton href={links.apiKeys({ ...view, scope: 'all', page: 1 })}>{texts.searchAll}</LinkButton>
          )}
          <LinkButton href={links.apiKeys({ scope: view.scope })}>{texts.clearFilters}</LinkButton>
        </div>
      </Empty>
    );
  }
  return (
    <Empty
      icon="key"
      title={view.scope === 'all' ? texts.noApiKeys : texts.noApiKeysYet}
      hint={isAvailable ? texts.createOneForEach : texts.noneInThisEdition}
    >
      {isAvailable && <CreateLink text={texts.createFirstApiKey} />}
    </Empty>
  );
}
