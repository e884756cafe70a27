import type { Principal } from '../access/rights.js';
import type { AccessMark } from '../authentication/access-marks.js';
import type { AuditRecord, KeyRow } from '../store/index.js';
import type { ApiKey, AuditEntry, FieldChange, Origin, RevisionType } from '../types.js';
import { endsOf, statusOf } from './status.js';

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

/** An acting key is its author's own, and shown to who may see it: the entry may be about somebody else's key (rules K7, K15). */
export function toAuditEntry(row: AuditRecord, reader: Principal): AuditEntry {
  const showsActingKey = reader.mayManageAll || row.author_id === reader.userId;
  return {
    id: row.id,
    apiKeyId: row.api_key_id,
    name: row.name,
    author: { id: row.author_id, username: row.author_username },
    actingApiKey:
      row.acting_key_id === null || !showsActingKey
        ? null
        : { id: row.acting_key_id, name: row.acting_key_name ?? row.acting_key_id },
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
