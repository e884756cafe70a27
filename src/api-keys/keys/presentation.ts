import type { UnwrittenUses } from '../authentication/access-marks.js';
import { mergeUses, parseUses } from '../authentication/recent-uses.js';
import type { KeyRow } from '../store/index.js';
import { endsOf, statusOf } from './status.js';
import type { ApiKey } from './types.js';

/** A row as `ApiKey`, with the uses that are not written yet (rules K1, K10). */
export function toApiKey(row: KeyRow, mark: UnwrittenUses, nowMs: number): ApiKey {
  return {
    id: row.id,
    name: row.name,
    description: row.description === '' ? null : row.description,
    status: statusOf(endsOf(row), nowMs),
    createdBy: { id: row.owner_id, username: row.owner_username },
    createdOn: toIso(row.created_on),
    expiresOn: toIso(row.expires_on),
    lastAccessed: toIsoOrNull(Math.max(row.last_accessed, mark.lastAccessedMs)),
    recentUses: mergeUses(mark.uses, parseUses(row.recent_uses), mark.keptUses).map(({ lastUsedMs, ...place }) => ({
      ...place,
      lastUsedOn: toIso(lastUsedMs),
    })),
    revokedOn: row.revoked_on === null ? null : toIso(row.revoked_on),
    refusedUses: row.refused_uses + mark.refusedUses,
    lastRefusedOn: toIsoOrNull(Math.max(row.last_refused_on, mark.lastRefusedMs)),
    version: row.version,
  };
}

export function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function toIsoOrNull(epochMs: number): string | null {
  return epochMs === 0 ? null : toIso(epochMs);
}
