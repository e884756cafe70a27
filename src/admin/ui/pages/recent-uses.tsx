import type { ApiKey } from '../../../api-keys/index.js';
import { Table } from '../components/table.js';
import { FullTime } from '../components/time.js';
import { useShown } from '../look.js';

/** From where a key was used last (rule K22); nothing where that is not kept. */
export function RecentUses({ apiKey }: { apiKey: ApiKey }) {
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
