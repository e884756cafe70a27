import type { Invalidation, OpenApiKeysOptions } from './api-keys.js';
import type { AccessMarks } from './authentication/access-marks.js';
import type { SecretHasher } from './authentication/secret-hasher.js';
import type { StoreConnection } from './store/index.js';

/** What every operation on API keys works with. */
export interface Context extends Pick<OpenApiKeysOptions, 'edition' | 'users'> {
  readonly store: StoreConnection;
  readonly hasher: SecretHasher;
  readonly marks: AccessMarks;
  /** Epoch milliseconds of the clock that decides every status (rule K5). */
  now(): number;
  /** Reports a failure that did not fail the call. */
  onError(error: unknown): void;
  /** Notifies subscribers, after the commit. */
  invalidated(invalidations: readonly Invalidation[]): void;
}
