import { isApiKeyError } from '../api-key-error.js';
import type { SecretHasher } from '../authentication/secret-hasher.js';
import type { Store } from './connection.js';
import { isPostgresUrl, nameOfDatabase, withDatabaseName } from './database-name.js';
import { openPostgres } from './open-postgres.js';
import { openSqlite } from './open-sqlite.js';
import { checkPeppers } from './pepper-records.js';
import { adviseOnSearches } from './search-index.js';
import { createTables } from './tables.js';

export { type AuditRecord, countAudits, insertAudits, listAudits } from './audit-records.js';
export type { Store, StoredSecret } from './connection.js';
export { addEndedSession, isEndedSession } from './ended-sessions.js';
export {
  countKeys,
  findKey,
  insertKey,
  isNameTaken,
  type KeyRow,
  listKeys,
  type Queries,
  recordExpired,
  recordExpiredOf,
  revokeActiveKeys,
  sortValue,
  updateActiveKey,
} from './key-records.js';
export { type KeySearch, searchIds } from './search-records.js';
export { claimWarning, type ExpiringRow, finishWarning, listExpiring } from './warning-records.js';

/** Opens a database, creates its tables, and checks that the peppers fit it. @throws Error that names the database. */
export async function openStore(database: string, hasher: SecretHasher, nowMs: number): Promise<Store> {
  const connection = await (isPostgresUrl(database) ? openPostgres(database) : openSqlite(database));
  try {
    const hasTrigrams = await createTables(connection.kysely, connection.dialect);
    await connection.kysely.transaction().execute((transaction) => checkPeppers(transaction, hasher, nowMs));
    const advice = hasTrigrams ? undefined : await adviseOnSearches(connection.kysely, connection.dialect);
    return { ...connection, hasTrigrams, advice };
  } catch (error) {
    await connection.close().catch(() => {});
    const { cause } = isApiKeyError(error, 'unavailable') ? error : { cause: error };
    throw withDatabaseName(cause, nameOfDatabase(database));
  }
}
