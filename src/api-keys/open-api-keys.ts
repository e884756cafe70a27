import { importPeer } from './import-peer.js';
import { createSecretHasher } from './secret-hasher.js';
import type { ApiKeys, OpenApiKeysOptions } from './types.js';

/**
 * Opens the API keys of one database, and makes or migrates its tables. Several processes may have the same database
 * open.
 *
 * Needs the package `kysely`; `pg` for PostgreSQL; `@photostructure/sqlite` for SQLite where Node has none of its own.
 *
 * @throws TypeError naming a wrong option; Error naming a package that is missing, or a pepper that does not fit the database.
 * @example
 * const apiKeys = await openApiKeys({ database: 'keys.db', edition: 'Professional', users })
 * const { apiKey, key } = await apiKeys.create(actor, { name: 'Nightly export', expiresOn: '2027-06-30' })
 * await apiKeys.authenticate(new Headers({ 'x-api-key': key })) // { userId, apiKeyId }
 */
export async function openApiKeys(options: OpenApiKeysOptions): Promise<ApiKeys> {
  const hasher = createSecretHasher(checkOptions(options).pepper);
  const { assembleApiKeys } = await importPeer('kysely', 'their queries', () => import('./assemble-api-keys.js'));
  return await assembleApiKeys(options, hasher);
}

function checkOptions(options: OpenApiKeysOptions): OpenApiKeysOptions {
  if (typeof options !== 'object' || options === null) throw new TypeError('`options` must be an object.');
  const { database, edition, users, clock, onError } = options;
  if (
    typeof database !== 'string' ||
    database === '' ||
    /^(?!postgres(?:ql)?:)[a-z][a-z0-9+.-]*:\/\//i.test(database)
  ) {
    throw new TypeError("`database` must be a file's path, `:memory:`, or a `postgres://` URL.");
  }
  if (typeof edition !== 'function' && (typeof edition !== 'string' || edition === '')) {
    throw new TypeError("`edition` must be an edition's name, or a function that returns it.");
  }
  if (users !== undefined && typeof users?.findById !== 'function') {
    throw new TypeError('`users` must have the method `findById`.');
  }
  if (clock !== undefined && typeof clock?.now !== 'function')
    throw new TypeError('`clock` must have the method `now`.');
  if (onError !== undefined && typeof onError !== 'function') throw new TypeError('`onError` must be a function.');
  return options;
}
