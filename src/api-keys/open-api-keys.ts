import type { ApiKeys, OpenApiKeysOptions } from './types.js';

/** Opens the API keys of one database, and makes or migrates its tables. */
export async function openApiKeys(options: OpenApiKeysOptions): Promise<ApiKeys> {
  throw new TypeError(`\`database\` ${options.database}: under construction.`);
}
