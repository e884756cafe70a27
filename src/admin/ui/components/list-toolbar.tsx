import { apiKeyStatuses } from '../../../api-keys/index.js';
import type { ListView } from '../addresses/list-query.js';
import { SearchField } from '../forms/field.js';
import { useShown } from '../look.js';
import { Token } from './layout.js';
import { textOfStatus } from './status.js';

const sorts = ['-createdOn', 'createdOn', 'name', 'createdBy', 'expiresOn', '-lastAccessed'] as const;

/** Scope, status, search and order of the list, all of them in the address. */
export function ListToolbar({ view }: { view: ListView }) {
  const { links, mayManageAll, texts } = useShown();
  const href = (changes: Partial<ListView>) => links.apiKeys({ ...view, page: 1, ...changes });
  return (
    <div class="toolbar">
      {mayManageAll && (
        <Segments
          label={texts.whoseKeys}
          entries={[
            { text: texts.myApiKeys, href: href({ scope: 'my' }), current: view.scope === 'my' },
            { text: texts.allApiKeys, href: href({ scope: 'all', createdBy: '' }), current: view.scope === 'all' },
          ]}
        />
      )}
      <Segments
        label={texts.status}
        entries={[
          { text: texts.all, href: href({ status: undefined }), current: view.status === undefined },
          ...apiKeyStatuses.map((status) => ({
            text: textOfStatus(status, texts),
            href: href({ status }),
            current: view.status === status,
          })),
        ]}
      />
      <search class="search">
        <form method="post" action={links.apiKeys()}>
          <Token />
          {view.scope === 'all' && <input type="hidden" name="scope" value="all" />}
          {view.createdBy !== '' && <input type="hidden" name="createdBy" value={view.createdBy} />}
          {view.status !== undefined && <input type="hidden" name="status" value={view.status} />}
          <SearchField name="search" label={texts.searchLabel} value={view.search} placeholder={texts.searchHint} />
          <SortSelect view={view} />
          <button class="button" type="submit">
            {texts.search}
          </button>
        </form>
      </search>
    </div>
  );
}

/** On a phone the column heads are hidden, so they cannot be clicked. */
function SortSelect({ view }: { view: ListView }) {
  const { texts } = useShown();
  const known = sorts.some((sort) => sort === view.sort);
  return (
    <div class="sort-select">
      <label class="visually-hidden" for="sort">
        {texts.sortBy}
      </label>
      <select class="select" id="sort" name="sort">
        {!known && (
          <option value={view.sort} selected>
            {texts.sortAsItIs}
          </option>
        )}
        {sorts.map((sort) => (
          <option value={sort} {...(sort === view.sort && { selected: true })}>
            {texts.sorts[sort]}
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
