import type { RequestLookups } from './access/request-lookups.js';
import type { Invalidation, OpenApiKeysOptions } from './api-keys.js';
import type { AccessMarks } from './authentication/access-marks.js';
import type { SecretHasher } from './authentication/secret-hasher.js';
import type { Store } from './store/index.js';

/** What every operation on API keys works with. */
export interface Context extends Pick<OpenApiKeysOptions, 'users'> {
  readonly store: Store;
  readonly hasher: SecretHasher;
  readonly marks: AccessMarks;
  readonly keyPrefix: string;
  /** Epoch milliseconds of the clock that decides every status (rule K5). */
  now(): number;
  /** The name of the edition at this request; a misspelt one is reported (rule K12). */
  edition(lookups: RequestLookups): Promise<string>;
  /** For a call that shares no look-ups with others. */
  newLookups(): RequestLookups;
  /** Reports a failure that did not fail the call. */
  onError(error: unknown): void;
  /** Notifies subscribers, after the commit. */
  invalidated(invalidations: readonly Invalidation[]): void;
}
