import type { ApiKeyStatus, AuditEntry, FieldChange } from '../../../api-keys/index.js';
import { useShown } from '../look.js';
import type { AdminTexts } from '../texts/texts-option.js';
import { Icon } from './icon.js';
import { textOfStatus } from './status.js';
import { Table } from './table.js';
import { ExactTime, RelativeTime } from './time.js';

/** Audit entries, with the field names of specification 2.2. */
export function AuditTable({ entries }: { entries: readonly AuditEntry[] }) {
  const { texts } = useShown();
  return (
    <Table
      caption={`${texts.audits}. ${texts.newestFirst}`}
      columns={[texts.name, texts.author, texts.changeTime, texts.revisionType, texts.changes]}
      kind="audits"
    >
      {entries.map((entry) => (
        <AuditRow entry={entry} />
      ))}
    </Table>
  );
}

function AuditRow({ entry }: { entry: AuditEntry }) {
  const { links, texts } = useShown();
  return (
    <tr>
      <td>
        <a class="key-name" href={links.apiKey(entry.apiKeyId)}>
          {entry.name}
        </a>
      </td>
      <td data-label={texts.author}>
        <div>
          {entry.author.username}
          <span class="second-line">{originOf(entry, texts)}</span>
        </div>
      </td>
      <td data-label={texts.changeTime}>
        <RelativeTime time={entry.changeTime} />
      </td>
      <td data-label={texts.revisionType}>
        <div>
          <span class={`tag tag-${entry.revisionType.toLowerCase()}`}>{texts.revisionTypes[entry.revisionType]}</span>
        </div>
      </td>
      <td data-label={texts.changes}>
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
function originOf({ origin, actingApiKey }: AuditEntry, texts: AdminTexts): string {
  const name = texts.origins[origin];
  return actingApiKey === null ? texts.by(name) : texts.byWithKey(name, actingApiKey.name);
}

function Change({ change: { field, from, to } }: { change: FieldChange }) {
  const { texts } = useShown();
  return (
    <li>
      <span class="field-name">{texts[field]}</span>
      <span class="values">
        {from !== null && (
          <del>
            <Value field={field} value={from} />
          </del>
        )}
        <span class="new-value">
          {from !== null && (
            <>
              <span class="visually-hidden">{texts.changedTo}</span>
              <Icon name="arrow" size={13} />
            </>
          )}
          <ins>{to === null ? texts.none : <Value field={field} value={to} />}</ins>
        </span>
      </span>
    </li>
  );
}

function Value({ field, value }: { field: FieldChange['field']; value: string }) {
  const { dates, texts } = useShown();
  if (field === 'expiresOn') return <ExactTime time={value} text={dates.exact(value).replace(/:00 UTC$/, ' UTC')} />;
  return <>{field === 'status' ? textOfStatus(value as ApiKeyStatus, texts) : value}</>;
}
