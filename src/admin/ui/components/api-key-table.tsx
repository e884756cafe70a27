import type { ApiKey, ApiKeySortField } from '../../../api-keys/index.js';
import { type ListView, sortAfterClick } from '../addresses/list-query.js';
import { useLook } from '../look.js';
import type { PageContext } from '../page-context.js';
import { Icon } from './icon.js';
import { RevokeLink } from './revoke-dialog.js';
import { ExpiryWarning, RefusedUseWarning, Status } from './status.js';
import { PlainTime, RelativeTime } from './time.js';

interface ApiKeyTableProps {
  pageContext: PageContext;
  view: ListView;
  apiKeys: readonly ApiKey[];
}

/** The columns of the specification (section 4). */
export function ApiKeyTable({ pageContext, view, apiKeys }: ApiKeyTableProps) {
  const { texts } = useLook();
  const head = (field: ApiKeySortField, text: string) => (
    <SortableHead pageContext={pageContext} view={view} field={field} text={text} />
  );
  return (
    <div class="table-frame">
      <table class="table cards">
        <caption class="visually-hidden">{view.scope === 'all' ? texts.allApiKeys : texts.myApiKeys}</caption>
        <thead>
          <tr>
            {head('name', texts.name)}
            {head('createdBy', texts.createdBy)}
            {head('createdOn', texts.createdOn)}
            {head('expiresOn', texts.expiresOn)}
            {head('lastAccessed', texts.lastAccessed)}
            <th scope="col">{texts.status}</th>
            <th scope="col" class="action">
              {texts.action}
            </th>
          </tr>
        </thead>
        <tbody>
          {apiKeys.map((apiKey) => (
            <ApiKeyRow pageContext={pageContext} view={view} apiKey={apiKey} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface SortableHeadProps {
  pageContext: PageContext;
  view: ListView;
  field: ApiKeySortField;
  text: string;
}

function SortableHead({ pageContext, view, field, text }: SortableHeadProps) {
  const href = pageContext.links.apiKeys({ ...view, page: 1, sort: sortAfterClick(field, view.sort) });
  const order = view.sort === field ? 'ascending' : view.sort === `-${field}` ? 'descending' : undefined;
  return (
    <th scope="col" {...(order !== undefined && { 'aria-sort': order })}>
      <a href={href}>
        {text}
        <Icon name={order === undefined ? 'sort' : order === 'ascending' ? 'up' : 'down'} size={12} />
      </a>
    </th>
  );
}

function ApiKeyRow({ pageContext, view, apiKey }: { pageContext: PageContext; view: ListView; apiKey: ApiKey }) {
  const { nowMs, links } = pageContext;
  const { keyPrefix, texts } = useLook();
  return (
    <tr {...(apiKey.status !== 'Active' && { class: 'ended' })}>
      <td class="names">
        <a class="key-name" href={links.apiKey(apiKey.id)}>
          {apiKey.name}
        </a>
        <span class="second-line key-id">
          {keyPrefix}_{apiKey.id}…
        </span>
      </td>
      <td data-label={texts.createdBy}>{apiKey.createdBy.username}</td>
      <td data-label={texts.createdOn}>
        <RelativeTime time={apiKey.createdOn} nowMs={nowMs} />
      </td>
      <td data-label={texts.expiresOn}>
        <div>
          {apiKey.status === 'Revoked' ? (
            <PlainTime time={apiKey.expiresOn} />
          ) : (
            <RelativeTime time={apiKey.expiresOn} nowMs={nowMs} />
          )}
          {pageContext.isAvailable && <ExpiryWarning apiKey={apiKey} nowMs={nowMs} />}
        </div>
      </td>
      <td data-label={texts.lastAccessed}>
        {apiKey.lastAccessed === null ? (
          <span class="muted">{texts.never}</span>
        ) : (
          <RelativeTime time={apiKey.lastAccessed} nowMs={nowMs} />
        )}
      </td>
      <td data-label={texts.status}>
        <div class="states">
          <Status status={apiKey.status} />
          <RefusedUseWarning apiKey={apiKey} nowMs={nowMs} />
        </div>
      </td>
      {apiKey.status === 'Active' ? (
        <td class="action">
          <RevokeLink pageContext={pageContext} apiKey={apiKey} view={view} small />
        </td>
      ) : (
        <td class="action action-none muted">–</td>
      )}
    </tr>
  );
}
