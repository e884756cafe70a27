import type { PropsWithChildren } from 'hono/jsx';
import { auditOrigins, maxUserIdCharacters, revisionTypes } from '../../../api-keys/index.js';
import { type AuditView, isFiltered } from '../addresses/audit-query.js';
import { SearchField } from '../forms/field.js';
import { useShown } from '../look.js';
import { Token } from './layout.js';
import { LinkButton } from './link-button.js';
import { Segments } from './list-toolbar.js';

/** Revision type, key, author, origin and time of the audits, all of them in the address. */
export function AuditToolbar({ view }: { view: AuditView }) {
  const { links, texts } = useShown();
  const href = (revisionType: AuditView['revisionType']) => links.audits({ ...view, page: 1, revisionType });
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
      <search class="filters">
        <form method="post" action={links.audits()}>
          <Token />
          {view.revisionType !== undefined && <input type="hidden" name="revisionType" value={view.revisionType} />}
          {view.apiKeyId !== undefined && <input type="hidden" name="apiKeyId" value={view.apiKeyId} />}
          <SearchField name="find" label={texts.findKeyLabel} value={view.find} placeholder={texts.findKey} />
          <Filter id="author" label={texts.author}>
            <input
              class="input"
              id="author"
              name="author"
              value={view.author}
              placeholder={texts.authorHint}
              maxlength={maxUserIdCharacters}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
            />
          </Filter>
          <Filter id="origin" label={texts.origin}>
            <select class="select" id="origin" name="origin">
              <option value="">{texts.anyOrigin}</option>
              {auditOrigins.map((origin) => (
                <option value={origin} {...(origin === view.origin && { selected: true })}>
                  {texts.origins[origin]}
                </option>
              ))}
            </select>
          </Filter>
          <Filter id="from" label={texts.fromDate}>
            <input class="input" id="from" name="from" type="date" value={view.from} />
          </Filter>
          <Filter id="to" label={texts.toDate}>
            <input class="input" id="to" name="to" type="date" value={view.to} />
          </Filter>
          <button class="button" type="submit">
            {texts.filter}
          </button>
          {isFiltered(view) && (
            <LinkButton kind="quiet" href={links.audits({ apiKeyId: view.apiKeyId })}>
              {texts.clearFilters}
            </LinkButton>
          )}
        </form>
      </search>
    </div>
  );
}

function Filter({ id, label, children }: PropsWithChildren<{ id: string; label: string }>) {
  return (
    <div class="filter">
      <label class="small" for={id}>
        {label}
      </label>
      {children}
    </div>
  );
}
