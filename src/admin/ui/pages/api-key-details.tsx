import type { PropsWithChildren } from 'hono/jsx';
import { type ApiKey, type AuditEntry, isEnabled } from '../../../api-keys/index.js';
import type { AdminContext } from '../../context.js';
import { AuditTable } from '../components/audit-table.js';
import { EditionNotice, editionNoticeId } from '../components/edition-notice.js';
import { Page, PageHeader } from '../components/layout.js';
import { LinkButton } from '../components/link-button.js';
import { Notice } from '../components/notice.js';
import { Status, textOfStatus } from '../components/status.js';
import { Table } from '../components/table.js';
import { FullTime } from '../components/time.js';
import { expiresSoon, isUsedInVain } from '../format/warnings.js';
import { RevokeDialog, RevokeLink } from '../forms/revoke-dialog.js';
import { useShown } from '../look.js';
import type { PageContext } from '../page-context.js';
import type { Ui } from '../ui.js';

const shownAudits = 5;

/** One key, without its value. */
export function apiKeyDetailsRoutes(ui: Ui): void {
  ui.get('/api-keys/:id', async (c, pageContext) => {
    const { apiKeys } = ui.context;
    const apiKey = await apiKeys.get(pageContext.actor, c.req.param('id') ?? '');
    const audits = await apiKeys.audits(pageContext.actor, { apiKeyId: apiKey.id, limit: shownAudits });
    const owner = await stateOfOwner(ui.context, pageContext, apiKey);
    return await ui.render(c, <ApiKeyDetails apiKey={apiKey} owner={owner} audits={audits.items} />);
  });
}

type OwnerState = 'enabled' | 'disabled' | 'unknown';

/** Of an Active key; of any other, nobody is asked. If the directory fails, the page shows what it has. */
async function stateOfOwner(
  { users, newLookups, onError }: AdminContext,
  { actor }: PageContext,
  { status, createdBy }: ApiKey,
): Promise<OwnerState> {
  if (status !== 'Active') return 'enabled';
  try {
    const owner = await (actor.lookups ?? newLookups()).findUser(users, createdBy.id);
    if (owner === undefined) return 'unknown';
    return isEnabled(owner) ? 'enabled' : 'disabled';
  } catch (error) {
    onError(error);
    return 'enabled';
  }
}

interface ApiKeyDetailsProps {
  apiKey: ApiKey;
  owner: OwnerState;
  audits: readonly AuditEntry[];
}

function ApiKeyDetails({ apiKey, owner, audits }: ApiKeyDetailsProps) {
  const { dates, isAvailable, links, nowMs, texts } = useShown();
  const isActive = apiKey.status === 'Active';
  return (
    <Page title={apiKey.name} section="api-keys">
      <PageHeader
        title={apiKey.name}
        back={{ href: links.apiKeys(), text: texts.apiKeys }}
        beside={<Status status={apiKey.status} />}
        actions={
          <>
            <ReplaceButton apiKey={apiKey} />
            <EditButton apiKey={apiKey} />
            {isActive && <RevokeLink apiKey={apiKey} />}
          </>
        }
      />
      {isActive && !isAvailable && <EditionNotice />}
      {owner !== 'enabled' && (
        <Notice kind="warning">
          <p>{(owner === 'unknown' ? texts.ownerUnknown : texts.ownerDisabled)(apiKey.createdBy.username)}</p>
        </Notice>
      )}
      {!isActive && (
        <Notice kind="neutral" id="terminal">
          <WhyNotEditable apiKey={apiKey} />
        </Notice>
      )}
      {isAvailable && expiresSoon(apiKey, nowMs) && (
        <Notice kind="warning">
          <strong>{texts.expiresAt(dates.relative(apiKey.expiresOn, nowMs))}</strong>
          <p>{texts.expiresSoonHint}</p>
        </Notice>
      )}
      {isUsedInVain(apiKey) && apiKey.lastRefusedOn !== null && (
        <Notice kind="warning">
          <strong>{texts.stillUsed}</strong>
          <p>{texts.stillUsedHint(apiKey.refusedUses, endOf(apiKey), dates.exact(apiKey.lastRefusedOn))}</p>
        </Notice>
      )}
      <Facts apiKey={apiKey} />
      <RecentUses apiKey={apiKey} />
      <section class="card" aria-labelledby="history">
        <div class="card-header">
          <h2 id="history">{texts.history}</h2>
          <span class="muted">{texts.timesInUtc}</span>
          <a href={links.audits({ apiKeyId: apiKey.id })}>{texts.auditsOfKey}</a>
        </div>
        <AuditTable entries={audits} />
      </section>
      {isActive && <RevokeDialog />}
    </Page>
  );
}

/** Only for the user's own keys: a new key acts as whoever creates it (rule K16). */
function ReplaceButton({ apiKey }: { apiKey: ApiKey }) {
  const { isAvailable, links, texts, user } = useShown();
  if (!isAvailable || apiKey.createdBy.id !== user.id) return null;
  return <LinkButton href={links.replaceApiKey(apiKey.id)}>{texts.replaceApiKey}</LinkButton>;
}

function EditButton({ apiKey: { id, status } }: { apiKey: ApiKey }) {
  const { isAvailable, links, texts } = useShown();
  if (status === 'Active' && isAvailable) return <LinkButton href={links.editApiKey(id)}>{texts.edit}</LinkButton>;
  return (
    <button class="button" type="button" disabled aria-describedby={status === 'Active' ? editionNoticeId : 'terminal'}>
      {texts.edit}
    </button>
  );
}

/** Explains a terminal status (specification 3), and leads to what is still possible. */
export function WhyNotEditable({ apiKey }: { apiKey: ApiKey }) {
  const { dates, isAvailable, links, nowMs, texts, user } = useShown();
  const isOwn = apiKey.createdBy.id === user.id;
  return (
    <p>
      {texts.hasEnded(endOf(apiKey), dates.relative(apiKey.revokedOn ?? apiKey.expiresOn, nowMs))}{' '}
      {isAvailable && <a href={isOwn ? links.replaceApiKey(apiKey.id) : links.newApiKey}>{texts.createInstead}</a>}
    </p>
  );
}

function endOf({ status }: ApiKey): 'Expired' | 'Revoked' {
  return status === 'Revoked' ? 'Revoked' : 'Expired';
}

function Facts({ apiKey }: { apiKey: ApiKey }) {
  const { keyPrefix, links, mayManageAll, texts } = useShown();
  const { id: createdBy, username } = apiKey.createdBy;
  return (
    <section class="card" aria-label={texts.details}>
      <dl class="facts">
        <Fact name={texts.name}>{apiKey.name}</Fact>
        <Fact name={texts.status}>{textOfStatus(apiKey.status, texts)}</Fact>
        {apiKey.description !== null && (
          <Fact name={texts.description} kind="free-text">
            {apiKey.description}
          </Fact>
        )}
        <Fact name={texts.createdBy}>
          {mayManageAll ? <a href={links.apiKeys({ scope: 'all', createdBy })}>{username}</a> : username}
        </Fact>
        <TimeFact name={texts.createdOn} time={apiKey.createdOn} />
        <TimeFact name={texts.expiresOn} time={apiKey.expiresOn} />
        {apiKey.revokedOn !== null && <TimeFact name={texts.revokedOn} time={apiKey.revokedOn} />}
        <TimeFact name={texts.lastAccessed} time={apiKey.lastAccessed} />
        <Fact name={texts.key}>
          <code>
            {keyPrefix}_{apiKey.id}…
          </code>{' '}
          <span class="muted">{texts.shownOnce}</span>
        </Fact>
      </dl>
    </section>
  );
}

function TimeFact({ name, time }: { name: string; time: string | null }) {
  return <Fact name={name}>{time === null ? useShown().texts.never : <FullTime time={time} />}</Fact>;
}

function Fact({ name, kind, children }: PropsWithChildren<{ name: string; kind?: 'free-text' }>) {
  return (
    <div>
      <dt>{name}</dt>
      <dd {...(kind !== undefined && { class: kind })}>{children}</dd>
    </div>
  );
}

/** From where a key was used last (rule K22); nothing where that is not kept. */
function RecentUses({ apiKey }: { apiKey: ApiKey }) {
  const { texts } = useShown();
  if (apiKey.recentUses.length === 0) return null;
  return (
    <section class="card" aria-labelledby="recent-uses">
      <div class="card-header">
        <h2 id="recent-uses">{texts.recentUses}</h2>
      </div>
      <Table columns={[texts.lastAccessed, texts.address, texts.userAgent]}>
        {apiKey.recentUses.map(({ address, userAgent, lastUsedOn }) => (
          <tr>
            <td>
              <FullTime time={lastUsedOn} />
            </td>
            <td data-label={texts.address}>{address ?? texts.unknown}</td>
            <td data-label={texts.userAgent} class="free-text">
              {userAgent ?? texts.unknown}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
