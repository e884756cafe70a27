import type { AuditEntry, FieldChange } from '../../../api-keys/index.js';
import { formatExact } from '../format/times.js';
import type { PageContext } from '../page-context.js';
import { Icon } from './icon.js';
import { RelativeTime } from './time.js';

const fieldLabels: Readonly<Record<FieldChange['field'], string>> = {
  name: 'Name',
  expiresOn: 'Expires on',
  status: 'Status',
};

/** Audit entries, with the field names of specification 2.2. */
export function AuditTable({ pageContext, entries }: { pageContext: PageContext; entries: readonly AuditEntry[] }) {
  return (
    <div class="table-frame">
      <table class="table cards audits">
        <caption class="visually-hidden">API key audits, the newest first. Times in UTC.</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Author</th>
            <th scope="col">Change Time</th>
            <th scope="col">Revision Type</th>
            <th scope="col">Changes</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <AuditRow pageContext={pageContext} entry={entry} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function AuditRow({ pageContext, entry }: { pageContext: PageContext; entry: AuditEntry }) {
  return (
    <tr>
      <td>
        <a class="key-name" href={pageContext.links.apiKey(entry.apiKeyId)}>
          {entry.name}
        </a>
      </td>
      <td data-label="Author">
        <div>
          {entry.author.username}
          <span class="second-line">{originOf(entry)}</span>
        </div>
      </td>
      <td data-label="Change Time">
        <RelativeTime time={entry.changeTime} nowMs={pageContext.nowMs} />
      </td>
      <td data-label="Revision Type">
        <div>
          <span class={`tag tag-${entry.revisionType.toLowerCase()}`}>{entry.revisionType}</span>
        </div>
      </td>
      <td data-label="Changes">
        <ul class="changes">
          {entry.changes.map((change) => (
            <Change change={change} />
          ))}
        </ul>
      </td>
    </tr>
  );
}

/** Where the change came from, and the key that acted, if any (rule K15). */
function originOf({ origin, actingApiKey }: AuditEntry): string {
  return actingApiKey === null ? `by ${origin}` : `by ${origin}, with the key ${actingApiKey.name}`;
}

function Change({ change: { field, from, to } }: { change: FieldChange }) {
  return (
    <li>
      <span class="field-name">{fieldLabels[field]}</span>
      <span class="values">
        {from !== null && <del>{shownValue(field, from)}</del>}
        <span class="new-value">
          {from !== null && (
            <>
              <span class="visually-hidden"> changed to </span>
              <Icon name="arrow" size={13} />
            </>
          )}
          <ins>{to === null ? 'none' : shownValue(field, to)}</ins>
        </span>
      </span>
    </li>
  );
}

function shownValue(field: FieldChange['field'], value: string): string {
  return field === 'expiresOn' ? formatExact(value).replace(/:00 UTC$/, ' UTC') : value;
}
