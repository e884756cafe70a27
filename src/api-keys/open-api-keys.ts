import {
  checkOptions,
  functionOf,
  nameOrFunction,
  option,
  optionsOf,
  type ShapeOf,
  timeLimit,
  withMethods,
} from '../internal/index.js';
import type { UserDirectory } from './access/types.js';
import type { ApiKeys, OpenApiKeysOptions } from './api-keys.js';
import { createSecretHasher, pepperOption } from './authentication/secret-hasher.js';
import { isKeyPrefix } from './keys/key-format.js';
import { driversOf, peerError } from './peer-error.js';
import { isPostgresUrl } from './store/database-name.js';

/**
 * Also a `postgres:` without its slashes: as a path, its password would be in the names of files and in errors. And
 * `file:keys.db`: SQLite would read a URI, and create a file that others can read (rule K18).
 */
const looksLikeUrl = /^(?:postgres(?:ql)?:|file:|[a-z][a-z0-9+.-]*:\/\/)/i;

/**
 * Opens the API keys in one database and creates its tables. Several processes may open the same database.
 *
 * Needs the package `kysely`; `pg` for PostgreSQL; `@photostructure/sqlite` for SQLite where Node has none built in.
 *
 * @throws TypeError naming a wrong option; Error naming a package that is missing, or a pepper that does not fit the
 *   database.
 * @example
 * const apiKeys = await openApiKeys({ database: 'keys.db', edition: 'Professional', users })
 * const { apiKey, key } = await apiKeys.create(actor, { name: 'Nightly export', expiresOn: '2027-06-30' })
 * await apiKeys.authenticate(new Headers({ 'x-api-key': key })) // { userId, apiKeyId }
 */
export async function openApiKeys(options: OpenApiKeysOptions): Promise<ApiKeys> {
  checkOptions(schema, options);
  const hasher = createSecretHasher(options.pepper);
  const { assembleApiKeys } = await importAssembly(options.database);
  return await assembleApiKeys(options, hasher);
}

async function importAssembly(database: string) {
  try {
    return await import('./assemble-api-keys.js');
  } catch (error) {
    throw peerError(error, 'kysely', 'their queries', driversOf(database));
  }
}

const schema = optionsOf({
  database: option<string>(
    (value) => typeof value === 'string' && value.trim() !== '' && (isPostgresUrl(value) || !looksLikeUrl.test(value)),
    "must be a file's path, `:memory:`, or a `postgres://` URL",
  ),
  edition: nameOrFunction<OpenApiKeysOptions['edition']>('an edition'),
  users: withMethods<UserDirectory>('findById').optional(),
  lookUpTimeoutMs: timeLimit.optional(),
  keyPrefix: option<string>(
    isKeyPrefix,
    'must be 2 to 16 lowercase letters and digits, a letter first',
    true,
  ).optional(),
  keptUses: option<number>(
    (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 20,
    'must be a whole number from 0 to 20',
    true,
  ).optional(),
  pepper: pepperOption.optional(),
  clock: withMethods<NonNullable<OpenApiKeysOptions['clock']>>('now').optional(),
  onExpiring: functionOf<NonNullable<OpenApiKeysOptions['onExpiring']>>().optional(),
  expiryWarningDays: option<readonly number[]>(
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((days) => Number.isInteger(days) && days >= 1 && days <= 365),
    'must be a list of whole numbers from 1 to 365',
    true,
  ).optional(),
  onError: functionOf<NonNullable<OpenApiKeysOptions['onError']>>().optional(),
} satisfies ShapeOf<OpenApiKeysOptions>);
