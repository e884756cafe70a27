import type { AccessMark } from './access-marks.js';
import { endsOf, statusOf } from './status.js';
import type { AuditRecord, KeyRow } from './store/index.js';
import type { ApiKey, AuditEntry, FieldChange, Origin, RevisionType } from './types.js';

/** A row, with what is not yet written about its use, as it is shown (rules K1, K10). */
export function toApiKey(row: KeyRow, mark: AccessMark, nowMs: number): ApiKey {
  return {
    id: row.id,
    name: row.name,
    status: statusOf(endsOf(row), nowMs),
    createdBy: { id: row.owner_id, username: row.owner_username },
    createdOn: toIso(row.created_on),
    expiresOn: toIso(row.expires_on),
    lastAccessed: toIsoOrNull(Math.max(row.last_accessed, mark.lastAccessedMs)),
    revokedOn: row.revoked_on === null ? null : toIso(row.revoked_on),
    refusedUses: row.refused_uses + mark.refusedUses,
    lastRefusedOn: toIsoOrNull(Math.max(row.last_refused_on, mark.lastRefusedMs)),
    version: row.version,
  };
}

export function toAuditEntry(row: AuditRecord): AuditEntry {
  return {
    id: row.id,
    apiKeyId: row.api_key_id,
    name: row.name,
    author: { id: row.author_id, username: row.author_username },
    actingApiKey:
      row.acting_key_id === null ? null : { id: row.acting_key_id, name: row.acting_key_name ?? row.acting_key_id },
    changeTime: toIso(row.change_time),
    revisionType: row.revision_type as RevisionType,
    changes: JSON.parse(row.changes) as FieldChange[],
    origin: row.origin as Origin,
  };
}

export function toIso(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

function toIsoOrNull(epochMs: number): string | null {
  return epochMs === 0 ? null : toIso(epochMs);
}
