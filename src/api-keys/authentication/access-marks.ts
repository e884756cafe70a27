import { type Clock, singleFlight, type Timer } from '../../internal/index.js';
import { mergeUses, type Use } from './recent-uses.js';

/** The uses of a key that are not in the database yet. */
export interface AccessMark {
  /** 0 for none. */
  readonly lastAccessedMs: number;
  readonly refusedUses: number;
  readonly lastRefusedMs: number;
  /** The last use from each place, latest first. */
  readonly uses: readonly Use[];
}

/** What readers add to a row. */
export interface UnwrittenUses extends AccessMark {
  /** How many places a key has at most. */
  readonly keptUses: number;
}

interface AccessMarksOptions {
  readonly keptUses: number;
  readonly clock: Pick<Clock, 'setTimer'>;
  readonly write: (marks: ReadonlyMap<string, AccessMark>) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

const flushDelayMs = 500;
/** While the database refuses, each attempt waits twice as long as the one before. */
const maxFlushDelayMs = 30_000;
const nothing: AccessMark = { lastAccessedMs: 0, refusedUses: 0, lastRefusedMs: 0, uses: [] };

export type AccessMarks = ReturnType<typeof createAccessMarks>;

/**
 * Collects uses of keys and writes them together, so that a request costs no write. Times are at most a second late in
 * the database and exact for readers in this process (rule K10).
 */
export function createAccessMarks({ keptUses, clock, write, onError }: AccessMarksOptions) {
  let pending = new Map<string, AccessMark>();
  let beingWritten: ReadonlyMap<string, AccessMark> = new Map();
  let timer: Timer | undefined;
  let delayMs = flushDelayMs;

  const merge = (first: AccessMark, second: AccessMark): AccessMark => ({
    lastAccessedMs: Math.max(first.lastAccessedMs, second.lastAccessedMs),
    refusedUses: first.refusedUses + second.refusedUses,
    lastRefusedMs: Math.max(first.lastRefusedMs, second.lastRefusedMs),
    uses: mergeUses(first.uses, second.uses, keptUses),
  });

  const writeSoon = () => {
    timer ??= clock.setTimer(delayMs, () => {
      timer = undefined;
      delayMs = Math.min(delayMs * 2, maxFlushDelayMs); // until one succeeds
      flush().catch(onError);
    });
  };

  const add = (apiKeyId: string, mark: AccessMark) => {
    const known = pending.get(apiKeyId);
    pending.set(apiKeyId, known === undefined ? mark : merge(known, mark));
    writeSoon();
  };

  const flush = singleFlight(async (): Promise<void> => {
    timer?.cancel();
    timer = undefined;
    const marks = pending;
    if (marks.size === 0) return;
    pending = new Map();
    beingWritten = marks;
    try {
      await write(marks);
    } catch (error) {
      beingWritten = new Map();
      for (const [apiKeyId, mark] of marks) add(apiKeyId, mark);
      throw error;
    }
    beingWritten = new Map();
    delayMs = flushDelayMs;
    // The timer may have fired during this write.
    if (pending.size > 0) writeSoon();
  });

  return {
    used(apiKeyId: string, use: Use) {
      const uses = keptUses === 0 ? [] : [use];
      add(apiKeyId, { ...nothing, lastAccessedMs: use.lastUsedMs, uses });
    },
    refused(apiKeyId: string, nowMs: number) {
      add(apiKeyId, { ...nothing, refusedUses: 1, lastRefusedMs: nowMs });
    },
    /**
     * The unwritten uses. Call it before you read the row: a write that ends in between then shows in the row or
     * here. Times may show in both, which does not change their maximum; counts that are being written are left out, so
     * that none is added twice.
     */
    view(): (apiKeyId: string) => UnwrittenUses {
      const [waiting, underWay] = [pending, beingWritten];
      return (apiKeyId) => ({
        ...merge(waiting.get(apiKeyId) ?? nothing, underWay.get(apiKeyId) ?? nothing),
        keptUses,
        refusedUses: pending.get(apiKeyId)?.refusedUses ?? 0,
      });
    },
    /** Writes what is pending. @throws what the write threw; the uses are kept for the next attempt */
    flush,
    /** Writes everything, including what waits for a write under way. There must be no later uses. */
    async close() {
      try {
        do await flush();
        while (pending.size > 0);
      } finally {
        timer?.cancel();
      }
    },
  };
}
