import type { FailedRequest } from '../../contract/index.js';
import type { WireRequest } from '../http/wire.js';
import type { Lane } from '../rate-limit/lane.js';
import type { Permit } from '../rate-limit/permit.js';
import type { Session } from '../session/session.js';

/** One request of a call or of a login, with everything that it needs to be sent. */
export interface Attempt extends WireRequest {
  readonly request: FailedRequest;
  readonly lane: Lane;
  readonly permit: Permit;
  /** None for a login. */
  readonly session?: Session;
}

/** One request of a call. */
export interface CallAttempt extends Attempt {
  readonly session: Session;
}
