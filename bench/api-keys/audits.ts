import type { AuditQuery } from 'concordat/api-keys';
import { seededRandom } from '../../src/internal/numbers.js';
import { benchPages } from './list.js';
import type { Setting } from './main.js';

const root = { userId: 'u-root', username: 'root' };
const dayMs = 86_400_000;

/** Pages of 50 entries of the audit trail, as the administration UI asks for them: by number, and with filters. */
export async function benchAudits({ apiKeys, keys }: Setting): Promise<void> {
  const random = seededRandom(5);
  const pick = () => keys[Math.floor(random() * keys.length)]!;
  const all = (query: AuditQuery) => () => apiKeys.audits(root, { scope: 'all', ...query });
  // A day a year ago: of the two years that the entries span, the furthest from both ends.
  const day = { from: new Date(Date.now() - 365 * dayMs), to: new Date(Date.now() - 364 * dayMs) };
  await benchPages('audits: pages of 50', {
    'first page': all({}),
    'first page with the total': all({ total: true }),
    'page in the middle, by its number': all({ skip: Math.floor(keys.length / 2) }),
    'last page, by its number': all({ skip: keys.length - 50 }),
    'Revoke, first page with the total': all({ revisionType: 'Revoke', total: true }),
    'one author, with the total': () => all({ author: pick().owner.username, total: true })(),
    'a day a year ago, with the total': all({ ...day, total: true }),
    'that day and Revoke, with the total': all({ ...day, revisionType: 'Revoke', total: true }),
    'one key': () => all({ apiKeyId: pick().id })(),
  });
}
