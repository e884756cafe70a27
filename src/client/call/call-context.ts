import type { SessionHolder } from '../session/session.js';
import type { Settings } from '../settings.js';
import type { Call } from './call.js';
import type { RoadContext } from './road.js';

/** What all calls of a client need. */
export interface CallContext extends RoadContext {
  settings: Settings;
  sessions: SessionHolder;
  /** What must not be shown, beside the headers of a request (rules E5, S7). */
  secrets: readonly string[];
  /** Tells of a retry. */
  retrying(call: Call, error: Error, attempt: number, delayMs: number): void;
  /** A call is over that was sent so often. @returns the error as the caller gets it. */
  failed(call: Call, failure: unknown, attempts: number): unknown;
  ended(): void;
}
