import type { ApiKeyStatus, AuditEntry, FieldChange } from '../../../api-keys/index.js';
import { useLook } from '../look.js';
import type { PageContext } from '../page-context.js';
import type { AdminTexts } from '../texts/texts-option.js';
import { Icon } from './icon.js';
import { textOfStatus } from './status.js';
import { ExactTime, RelativeTime } from './time.js';

/** Audit entries, with the field names of specification 2.2. */
export function AuditTable({ pageContext, entries }: { pageContext: PageContext; entries: readonly AuditEntry[] }) {
  const { texts } = useLook();
  return (
    <div class="table-frame">
      <table class="table cards audits">
        <caption class="visually-hidden">
          {texts.audits}. {texts.newestFirst}
        </caption>
        <thead>
          <tr>
            <th scope="col">{texts.name}</th>
            <th scope="col">{texts.author}</th>
            <th scope="col">{texts.changeTime}</th>
            <th scope="col">{texts.revisionType}</th>
            <th scope="col">{texts.changes}</th>
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
  const { texts } = useLook();
  return (
    <tr>
      <td>
        <a class="key-name" href={pageContext.links.apiKey(entry.apiKeyId)}>
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
        <RelativeTime time={entry.changeTime} nowMs={pageContext.nowMs} />
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
  return actingApiKey === null ? texts.by(origin) : texts.byWithKey(origin, actingApiKey.name);
}

function Change({ change: { field, from, to } }: { change: FieldChange }) {
  const { texts } = useLook();
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
  const { dates, texts } = useLook();
  if (field === 'expiresOn') return <ExactTime time={value} text={dates.exact(value).replace(/:00 UTC$/, ' UTC')} />;
  return <>{field === 'status' ? textOfStatus(value as ApiKeyStatus, texts) : value}</>;
}
