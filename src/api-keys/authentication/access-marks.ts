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
const nothing: AccessMark = { lastAccessedMs: 0, refusedUses: 0, lastRefusedMs: 0, uses: [] };

/**
 * Collects uses of keys and writes them together, so that a request costs no write. Times are at most a second late in
 * the database and exact for readers in this process (rule K10).
 */
export class AccessMarks {
  #pending = new Map<string, AccessMark>();
  #beingWritten: ReadonlyMap<string, AccessMark> = new Map();
  #timer: Timer | undefined;
  #closed = false;
  readonly #options: AccessMarksOptions;

  constructor(options: AccessMarksOptions) {
    this.#options = options;
  }

  used(apiKeyId: string, use: Use): void {
    const uses = this.#options.keptUses === 0 ? [] : [use];
    this.#add(apiKeyId, { lastAccessedMs: use.lastUsedMs, refusedUses: 0, lastRefusedMs: 0, uses });
  }

  refused(apiKeyId: string, nowMs: number): void {
    this.#add(apiKeyId, { ...nothing, refusedUses: 1, lastRefusedMs: nowMs });
  }

  /**
   * The unwritten uses. Call it before you read the row: a write that ends in between then shows in the row or
   * here. Times may show in both, which does not change their maximum; counts that are being written are left out, so
   * that none is added twice.
   */
  view(): (apiKeyId: string) => UnwrittenUses {
    const [pending, beingWritten] = [this.#pending, this.#beingWritten];
    return (apiKeyId) => ({
      ...this.#merge(pending.get(apiKeyId) ?? nothing, beingWritten.get(apiKeyId) ?? nothing),
      keptUses: this.#options.keptUses,
      refusedUses: this.#pending.get(apiKeyId)?.refusedUses ?? 0,
    });
  }

  /** Writes what is pending. @throws what the write threw; the uses are kept for the next attempt */
  flush = singleFlight(async () => {
    this.#timer?.cancel();
    this.#timer = undefined;
    const marks = this.#pending;
    if (marks.size === 0) return;
    this.#pending = new Map();
    this.#beingWritten = marks;
    try {
      await this.#options.write(marks);
    } catch (error) {
      this.#beingWritten = new Map();
      for (const [apiKeyId, mark] of marks) this.#add(apiKeyId, mark);
      throw error;
    }
    this.#beingWritten = new Map();
    // The timer may have fired during this write.
    if (this.#pending.size > 0) this.#writeSoon();
  });

  /** Writes everything, including uses that arrive during a write. Later ones are dropped. */
  async close(): Promise<void> {
    try {
      do await this.flush();
      while (this.#pending.size > 0);
    } finally {
      this.#timer?.cancel();
      this.#closed = true;
    }
  }

  #add(apiKeyId: string, mark: AccessMark): void {
    if (this.#closed) return;
    const known = this.#pending.get(apiKeyId);
    this.#pending.set(apiKeyId, known === undefined ? mark : this.#merge(known, mark));
    this.#writeSoon();
  }

  #writeSoon(): void {
    this.#timer ??= this.#options.clock.setTimer(flushDelayMs, () => {
      this.#timer = undefined;
      this.flush().catch(this.#options.onError);
    });
  }

  #merge(first: AccessMark, second: AccessMark): AccessMark {
    return {
      lastAccessedMs: Math.max(first.lastAccessedMs, second.lastAccessedMs),
      refusedUses: first.refusedUses + second.refusedUses,
      lastRefusedMs: Math.max(first.lastRefusedMs, second.lastRefusedMs),
      uses: mergeUses(first.uses, second.uses, this.#options.keptUses),
    };
  }
}
