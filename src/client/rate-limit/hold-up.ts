import type { RequestLine } from '../../contract/index.js';
import type { Lane } from './lane.js';
import { pausedMessage, toRateLimitError } from './wait-limits.js';

/** What a call that is not on its way waits for, in the words of its error. */
export type WaitsFor = 'a free place' | 'a login' | 'its session' | 'its body' | 'a retry';

/** Why a call is not done yet (rule G5). */
export interface HoldUp {
  /** Completes a message; empty if the call is on its way. */
  readonly note: string;
  /** The rate limit or the quota that it waits for, or else what failed last. */
  readonly cause: Error | undefined;
}

/**
 * @param login where the last one went and, while it is in progress, why it was retried.
 * @param trouble why the call itself was retried last.
 */
export function describeHoldUp(
  waitsFor: WaitsFor | undefined,
  { lane, request }: { lane: Lane; request: RequestLine },
  { login, trouble }: { login: { lane?: Lane; trouble?: Error | undefined }; trouble: Error | undefined },
): HoldUp {
  const lastFailure = (waitsFor === 'a login' ? login.trouble : undefined) ?? trouble;
  if (waitsFor === undefined) return { note: '', cause: lastFailure };
  const isAtGate = waitsFor === 'a free place';
  const needsSession = waitsFor === 'a login' || waitsFor === 'its session';
  const { clock, pause, roomAt } = (needsSession && login.lane?.gate.pause.on ? login.lane : lane).gate;
  const pausedUntil = isAtGate || needsSession ? pause.resumeAt : undefined;
  // A quota holds back no login.
  const resumeAt = pausedUntil ?? (isAtGate ? roomAt : undefined);
  if (resumeAt === undefined) return { note: ` (waiting for ${waitsFor})`, cause: lastFailure };
  const remainingMs = Math.max(0, resumeAt.getTime() - clock.now());
  const [wait, message] = pause.on
    ? ['paused by a rate limit', pausedMessage]
    : ['waiting for its turn in the quota', 'The quota of the connection is used up.'];
  const cause = toRateLimitError(message, { remainingMs, resumeAt, request, status: pause.status });
  return { note: ` (${wait} until ${resumeAt.toISOString()})`, cause };
}
