import type { ErrorKind } from 'concordat';
import type { Reply } from '../support/end-system.js';

/** What an answer has to become. */
export type Outcome =
  | 'success'
  | {
      is: ErrorKind;
      /** The connector's status; only where `is` is `other`. */
      status?: number;
      /** @default the kind's own */
      code?: string;
      /** @default a sentence about the answer, because it says nothing itself */
      message?: string;
      /** For a limit. */
      waitMs?: number;
    };

interface Answer extends Omit<Reply, 'status'> {
  what: string;
  gives: Outcome;
}

export interface RecordedReply extends Answer {
  status: number;
  /**
   * Where such an answer was seen, and the day (of the report, where it was quoted from one), if that is known. Without it, the
   * answer is made after what `checkedAgainst` names.
   */
  recorded?: { from: string; on?: string };
  /**
   * For a limit: an answer of the same status that differs in one fact, and so is no limit, or one with another wait. What
   * is left out is as above.
   */
  control?: Answer;
}

export interface ReplySet {
  product: string;
  /** How far the preset has been checked; a line of docs/preset-list.md. */
  checkedAgainst: 'recorded responses' | 'SDK source' | 'documentation only' | 'RFC 9110, RFC 6585';
  replies: RecordedReply[];
}

/** The end system's clock, far from the local one: a wait that is measured by the wrong clock shows (rule W5). */
export const date = 'Tue, 01 Jan 2030 00:00:00 GMT';
const nowMs = Date.UTC(2030, 0, 1);

/** That many seconds after {@link date}. */
export const epochSeconds = (seconds: number) => String(nowMs / 1000 + seconds);
export const epochMilliseconds = (seconds: number) => String(nowMs + seconds * 1000);

/** A 429 is a limit whatever it says (rule W3), so its control is one without the wait: the fallback is waited. */
export const withoutWait = (waitMs: number, rest: { message?: string; code?: string } = {}): Answer => ({
  what: 'without the wait header',
  headers: {},
  gives: { is: 'rate-limit', waitMs, ...rest },
});
