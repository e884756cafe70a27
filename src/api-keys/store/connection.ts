import type { Kysely } from 'kysely';
import type { AccessMark } from '../authentication/access-marks.js';
import { formatUses, mergeUses, parseUses } from '../authentication/recent-uses.js';
import type { Dialect, Tables } from './schema.js';

/** What authentication reads of a key: one row, found by its primary key (rule K11). */
export interface StoredSecret {
  readonly secretHash: Uint8Array;
  readonly pepperVersion: number;
  readonly ownerId: string;
  readonly expiresOn: number;
  readonly expiredOn: number | null;
  readonly revokedOn: number | null;
}

export const lookUpColumns = `secret_hash as "secretHash", pepper_version as "pepperVersion", owner_id as "ownerId",
  expires_on as "expiresOn", expired_on as "expiredOn", revoked_on as "revokedOn"`;

/** An open store: a database with its tables. */
export interface Store extends StoreConnection {
  /** Whether searches have an index of trigrams. */
  readonly hasTrigrams: boolean;
  /** What would make searches faster. */
  readonly advice: string | undefined;
}

/** An open database. All queries go through Kysely, except two hot ones. */
export interface StoreConnection {
  readonly dialect: Dialect;
  readonly kysely: Kysely<Tables>;
  lookUp(apiKeyId: string): StoredSecret | undefined | Promise<StoredSecret | undefined>;
  /** In one transaction; times never move backwards (rules K10, K22). */
  writeMarks(marks: ReadonlyMap<string, AccessMark>, keptUses: number): Promise<void>;
  /** Whether a write failed because another key has the same name or id. */
  isDuplicate(error: unknown, what: 'name' | 'id'): boolean;
  close(): Promise<void>;
}

/** What a key's row has before its uses are written. */
export interface StoredUses {
  readonly id: string;
  readonly recentUses: string;
}

/** The stored uses with the new ones: what one statement then writes into all rows. */
export function addMarks(
  rows: readonly StoredUses[],
  marks: ReadonlyMap<string, AccessMark>,
  keptUses: number,
): readonly (Omit<AccessMark, 'uses'> & StoredUses)[] {
  return rows.flatMap(({ id, recentUses }) => {
    const mark = marks.get(id);
    if (mark === undefined) return [];
    const { uses, ...times } = mark;
    return [{ id, ...times, recentUses: formatUses(mergeUses(uses, parseUses(recentUses), keptUses)) }];
  });
}
