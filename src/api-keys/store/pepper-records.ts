import type { SecretHasher } from '../authentication/secret-hasher.js';
import { isActive, type Queries } from './key-records.js';
import { keyTable, pepperTable } from './schema.js';

/**
 * Compares the configured peppers with those in the database, and records the one for new keys.
 *
 * @throws Error when a pepper differs, or one is missing that Active keys need: all of them would be refused without a
 *   visible reason (rule K2)
 */
export async function checkPeppers(queries: Queries, hasher: SecretHasher, nowMs: number): Promise<void> {
  const known = await queries.selectFrom(pepperTable).selectAll().execute();
  for (const { version, fingerprint } of known) {
    const configured = hasher.fingerprints.get(version);
    if (configured === undefined) {
      if (await hasActiveKeys(queries, version, nowMs)) throw new Error(missing(version));
    } else if (configured !== fingerprint) {
      throw new Error(`\`pepper\` version ${version} is not the one that this database was written with.`);
    }
  }
  await queries
    .insertInto(pepperTable)
    .values({ version: hasher.version, fingerprint: hasher.fingerprints.get(hasher.version) ?? '' })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

function missing(version: number): string {
  return version === 0
    ? 'Active keys were made without a `pepper`: set `pepper.acceptUnpeppered`, or revoke them first.'
    : `\`pepper\` version ${version} is missing: Active keys were made with it.`;
}

async function hasActiveKeys(queries: Queries, pepperVersion: number, nowMs: number): Promise<boolean> {
  const row = await queries
    .selectFrom(keyTable)
    .select('id')
    .where('pepper_version', '=', pepperVersion)
    .where((builder) => isActive(builder, nowMs))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
