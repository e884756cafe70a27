import type { Generated } from 'kysely';

export const keyTable = 'concordat_api_key';
export const auditTable = 'concordat_api_key_audit';
export const pepperTable = 'concordat_api_key_pepper';
/** What searches look in: one text for each key. */
export const searchTable = 'concordat_api_key_search';
export const endedSessionTable = 'concordat_ended_session';
export const schemaTable = 'concordat_api_key_schema';
/** Enforces rule K3. */
export const uniqueName = 'concordat_api_key_name';

/** Times are epoch milliseconds on both databases. */
export interface ApiKeyRow {
  id: string;
  name: string;
  name_search: string;
  owner_id: string;
  owner_username: string;
  owner_search: string;
  secret_hash: Uint8Array;
  pepper_version: number;
  created_on: number;
  expires_on: number;
  revoked_on: number | null;
  /** When a response first reported the key as Expired; it stays Expired, whatever the clock says (rule K5). */
  expired_on: number | null;
  /** 0: never. Not null, so that keys can be sorted and paged by it. */
  last_accessed: number;
  refused_uses: number;
  /** 0: never. */
  last_refused_on: number;
  version: number;
  /** `''` for none. */
  description: string;
  /** JSON: the last uses from different places, latest first. */
  recent_uses: string;
  /** Warnings this many milliseconds before the expiry, or earlier, have been given or are not due for this expiry. */
  warned_ms: number;
  /** Until then one process is giving a warning. */
  warning_until: number;
}

export interface AuditRow {
  id: Generated<number>;
  api_key_id: string;
  /** The key's owner, so that owners find the entries of their keys. */
  owner_id: string;
  name: string;
  author_id: string;
  author_username: string;
  acting_key_id: string | null;
  acting_key_name: string | null;
  change_time: number;
  revision_type: string;
  /** JSON. */
  changes: string;
  origin: string;
}

export interface Tables {
  concordat_api_key: ApiKeyRow;
  concordat_api_key_audit: AuditRow;
  concordat_api_key_search: { id: string; text: string };
  concordat_api_key_pepper: { version: number; fingerprint: string };
  concordat_api_key_schema: { version: number };
  concordat_ended_session: { id: string; ends_on: number };
}

export type Dialect = 'sqlite' | 'postgres';
