import type { ApiKey, ApiKeySortField } from '../../../api-keys/index.js';
import { type ListView, sortAfterClick } from '../addresses/list-query.js';
import { RevokeLink } from '../forms/revoke-dialog.js';
import { useShown } from '../look.js';
import { Icon } from './icon.js';
import { ExpiryWarning, RefusedUseWarning, Status } from './status.js';
import { ActionHead, NoAction, Table } from './table.js';
import { RelativeTime } from './time.js';

/** The columns of the specification (section 4). */
export function ApiKeyTable({ view, apiKeys }: { view: ListView; apiKeys: readonly ApiKey[] }) {
  const { texts } = useShown();
  const head = (field: ApiKeySortField, text: string) => <SortableHead view={view} field={field} text={text} />;
  return (
    <Table
      caption={view.scope === 'all' ? texts.allApiKeys : texts.myApiKeys}
      columns={[
        head('name', texts.name),
        head('createdBy', texts.createdBy),
        head('createdOn', texts.createdOn),
        head('expiresOn', texts.expiresOn),
        head('lastAccessed', texts.lastAccessed),
        texts.status,
        <ActionHead />,
      ]}
    >
      {apiKeys.map((apiKey) => (
        <ApiKeyRow view={view} apiKey={apiKey} />
      ))}
    </Table>
  );
}

function SortableHead({ view, field, text }: { view: ListView; field: ApiKeySortField; text: string }) {
  const href = useShown().links.apiKeys({ ...view, page: 1, sort: sortAfterClick(field, view.sort) });
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

function ApiKeyRow({ view, apiKey }: { view: ListView; apiKey: ApiKey }) {
  const { isAvailable, keyPrefix, links, texts } = useShown();
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
        <RelativeTime time={apiKey.createdOn} />
      </td>
      <td data-label={texts.expiresOn}>
        <div>
          <RelativeTime time={apiKey.expiresOn} isOff={apiKey.status === 'Revoked'} />
          {isAvailable && <ExpiryWarning apiKey={apiKey} />}
        </div>
      </td>
      <td data-label={texts.lastAccessed}>
        {apiKey.lastAccessed === null ? (
          <span class="muted">{texts.never}</span>
        ) : (
          <RelativeTime time={apiKey.lastAccessed} />
        )}
      </td>
      <td data-label={texts.status}>
        <div class="states">
          <Status status={apiKey.status} />
          <RefusedUseWarning apiKey={apiKey} />
        </div>
      </td>
      {apiKey.status === 'Active' ? (
        <td class="action">
          <RevokeLink apiKey={apiKey} view={view} small />
        </td>
      ) : (
        <NoAction />
      )}
    </tr>
  );
}
