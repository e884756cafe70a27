import type { Invalidation, OpenApiKeysOptions } from './api-keys.js';
import type { AccessMarks } from './authentication/access-marks.js';
import type { SecretHasher } from './authentication/secret-hasher.js';
import type { StoreConnection } from './store/index.js';

/** What every job on API keys works with. */
export interface Context extends Pick<OpenApiKeysOptions, 'edition' | 'users'> {
  readonly store: StoreConnection;
  readonly hasher: SecretHasher;
  readonly marks: AccessMarks;
  /** Epoch milliseconds of the one clock (rule K5). */
  now(): number;
  /** Told of what failed behind an answer that was given all the same. */
  onError(error: unknown): void;
  /** Tells subscribers, after the commit. */
  invalidated(invalidations: readonly Invalidation[]): void;
}
