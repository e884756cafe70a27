import { apiKeyStatuses, maxSearchCharacters } from '../../../api-keys/index.js';
import type { ListView } from '../addresses/list-query.js';
import { firstPage } from '../addresses/paging.js';
import type { PageContext } from '../page-context.js';
import { Icon } from './icon.js';

const sortLabels = [
  ['-createdOn', 'Newest first'],
  ['createdOn', 'Oldest first'],
  ['name', 'Name'],
  ['createdBy', 'Created by'],
  ['expiresOn', 'Expires first'],
  ['-lastAccessed', 'Last accessed'],
] as const;

/** Scope, status, search and order of the list, all of them in the address. */
export function ListToolbar({ pageContext, view }: { pageContext: PageContext; view: ListView }) {
  const { links, mayManageAll } = pageContext;
  const href = (changes: Partial<ListView>) => links.apiKeys({ ...view, ...firstPage, ...changes });
  return (
    <div class="toolbar">
      {mayManageAll && (
        <Segments
          label="Whose keys"
          entries={[
            { text: 'My API keys', href: href({ scope: 'my' }), current: view.scope === 'my' },
            { text: 'All API keys', href: href({ scope: 'all' }), current: view.scope === 'all' },
          ]}
        />
      )}
      <Segments
        label="Status"
        entries={[
          { text: 'All', href: href({ status: undefined }), current: view.status === undefined },
          ...apiKeyStatuses.map((status) => ({
            text: status,
            href: href({ status }),
            current: view.status === status,
          })),
        ]}
      />
      <search class="search">
        <form method="get" action={links.apiKeys()}>
          {view.scope === 'all' && <input type="hidden" name="scope" value="all" />}
          {view.status !== undefined && <input type="hidden" name="status" value={view.status} />}
          <div class="search-field">
            <label class="visually-hidden" for="search">
              Search by name, creator or id
            </label>
            <Icon name="search" />
            <input
              class="input"
              id="search"
              name="search"
              type="search"
              value={view.search}
              placeholder="Search name, creator or id"
              maxlength={maxSearchCharacters}
              autocomplete="off"
            />
          </div>
          <SortSelect view={view} />
          <button class="button" type="submit">
            Search
          </button>
        </form>
      </search>
    </div>
  );
}

/** On a phone the column heads are hidden, so they cannot be clicked. */
function SortSelect({ view }: { view: ListView }) {
  const known = sortLabels.some(([sort]) => sort === view.sort);
  return (
    <div class="sort-select">
      <label class="visually-hidden" for="sort">
        Sort by
      </label>
      <select class="select" id="sort" name="sort">
        {!known && (
          <option value={view.sort} selected>
            As it is
          </option>
        )}
        {sortLabels.map(([sort, text]) => (
          <option value={sort} {...(sort === view.sort && { selected: true })}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface SegmentsProps {
  label: string;
  entries: readonly { text: string; href: string; current: boolean }[];
}

/** Links of which one is current. */
export function Segments({ label, entries }: SegmentsProps) {
  return (
    <nav class="segments" aria-label={label}>
      {entries.map(({ text, href, current }) => (
        <a href={href} {...(current && { 'aria-current': 'true' as const })}>
          {text}
        </a>
      ))}
    </nav>
  );
}
