import type { Clock } from '../../internal/index.js';
import type { Quota } from '../events.js';
import { type LimitWait, type LimitWaitOptions, LimitWaits, Pause, type PauseCause, type PauseView } from './pause.js';
import type { AnnouncedQuota } from './quota/announced.js';
import type { Announcement } from './quota/announcement.js';
import { QuotaWatch } from './quota/quota-watch.js';
import type { Remaining } from './quota/remaining.js';
import { type GateLane, Lanes, type Permit, type PermitOutcome } from './wait-queue.js';

export interface GateOptions {
  clock: Clock;
  /** `''` if the connection has only one. */
  scope: string;
  waits: LimitWaitOptions;
  /** Advises how many requests may go; `undefined` with `pacing: 'off'`. */
  quota: AnnouncedQuota | undefined;
  /** Whether the first request goes alone, to learn how much of the quota is left. */
  startsAlone: boolean;
  /** Tells other clients of a pause. Reports a state that fails to do so as an `error` event: it fails no call. */
  publish(resumeAt: Date, status?: number): void;
}

/**
 * Decides who may go (rules G1 to G3, G9). Clients with the same state share it. A limit closes it for everybody.
 * Afterwards one request goes first, and each one that returns without a limit admits two more; if the quota is known
 * by then, the rest follow as it allows.
 *
 * It cannot stall. If a call waits, one of these holds: the pause is on, and its timer ends it; its client has as many
 * requests in flight and bodies that arrive as it may, and the end of each calls {@link pump}, as does a timer if all are
 * bodies that nobody reads; or `pump` turned it away, and set the quota's timer whatever the reason.
 */
export class Gate {
  readonly clock: Clock;
  readonly publish: GateOptions['publish'];
  readonly lanes = new Lanes();
  readonly #waits: LimitWaits;
  readonly #pause: Pause;
  readonly #quota: AnnouncedQuota | undefined;
  readonly #watch: QuotaWatch;
  /** Events name their scope only if there are several. */
  readonly #scope: { scope?: string };
  #inFlight = 0;
  /** Counts the pauses: a permit of an earlier epoch is no longer current. */
  #epoch = 0;
  #epochInFlight = 0;
  /** How many requests of this epoch may be in flight. It grows step by step after a pause. */
  #allowed: number;

  constructor(options: GateOptions) {
    this.publish = options.publish;
    this.#waits = new LimitWaits(options.waits, options.clock);
    this.#allowed = options.startsAlone ? 1 : Number.POSITIVE_INFINITY;
    const { clock, quota, scope } = options;
    this.clock = clock;
    this.#scope = scope === '' ? {} : { scope };
    const onChange = (known: Quota | undefined) => this.lanes.emit('quota', { quota: known, ...this.#scope });
    this.#quota = quota;
    this.#watch = new QuotaWatch({ clock, quota, onChange, onRoom: (isOverdue) => this.#tryAgain(isOverdue) });
    this.#pause = new Pause({ clock, onHeartbeat: () => this.#emitHeartbeat(), onEnd: (ms) => this.#open(ms) });
  }

  get pause(): PauseView {
    return this.#pause;
  }

  get quota(): Quota | undefined {
    return this.#watch.known;
  }

  /** When a call that the quota holds back is tried again; `undefined` if there is room in it. */
  get roomAt(): Date | undefined {
    return this.#watch.roomAt(this.#inFlight);
  }

  add(lane: GateLane): void {
    this.#pause.endIfOver(); // without any lane it had no timer
    this.lanes.add(lane);
    this.#pause.start();
    if (this.#pause.on) lane.emit('pause', this.#describePause(this.#pause.askedMs, 'header'));
  }

  /** The client has closed. Its requests in flight still release their permits. */
  remove(lane: GateLane): void {
    this.lanes.delete(lane);
    this.pump();
    this.holdTimers();
    if (this.lanes.size > 0) return;
    this.#pause.stop();
    this.#watch.stop();
  }

  /** Whether a request with this permit may still start: no limit was met since it was granted (rule G1). */
  isCurrent(permit: Permit): boolean {
    return permit.epoch === this.#epoch;
  }

  /** @returns `undefined` if the request has to wait. */
  admit(lane: GateLane, isLogin: boolean, now = this.clock.monotonic()): Permit | undefined {
    this.#pause.endIfOver();
    this.#quota?.advance(now);
    return this.#mayGo(lane, isLogin, now) ? this.#grant(lane, isLogin) : undefined;
  }

  release(lane: GateLane, permit: Permit, outcome: PermitOutcome): void {
    const isLate = this.#takeBack(lane, permit);
    if (outcome === 'passed' && !isLate) {
      this.#waits.reset();
      this.#allowMore();
    }
    this.#quota?.ended({ outcome, isLogin: permit.isLogin, isLate, startedAt: permit.startedAt });
    this.pump();
  }

  /** Releases the permit of a request that met a limit; `waitMs` is missing if the response does not say how long. */
  releaseLimited(lane: GateLane, permit: Permit, waitMs: number | undefined, status?: number): void {
    const isSameLimit = this.#takeBack(lane, permit);
    const source = waitMs === undefined ? 'fallback' : 'header';
    const startedAt = permit.isLogin ? undefined : permit.startedAt;
    this.#close(this.#waits.choose(waitMs, isSameLimit), { source, startedAt, status });
  }

  /** A response has announced the quota. Called before its permit is released: the next request already obeys it. */
  announce(permit: Permit, announcement: Announcement): void {
    if (permit.epoch === this.#epoch && !this.#pause.on) this.#quota?.announce(announcement, this.#epochInFlight);
  }

  /** The same of headers that the options vouch for: the gate closes when nothing is left. */
  announceBinding(permit: Permit, remaining: Omit<Remaining, 'name'>): void {
    if (permit.epoch !== this.#epoch || this.#pause.on) return;
    const waitMs = this.#quota?.announceBinding(remaining, this.#epochInFlight) ?? 0;
    if (waitMs > 0) this.#close(this.#waits.withJitter(waitMs), { source: 'header' });
  }

  /** Closes the gate for a pause met elsewhere or earlier. Our own publication is delivered back to us: ignore it. */
  pauseUntil(resumeAt: Date, status?: number): void {
    if (resumeAt <= (this.#pause.askedUntil ?? new Date(0))) return;
    const waitMs = resumeAt.getTime() - this.clock.now();
    if (waitMs > 0) this.#close(this.#waits.withJitter(waitMs), { source: 'header', elsewhere: resumeAt, status });
  }

  /** Starts from a quota that was learned earlier. What this gate has learned itself takes precedence. */
  seedQuota(quota: Quota): void {
    this.#quota?.seed(quota);
    this.pump();
  }

  /** Reports what is known now, lets waiting calls go while they may, and makes sure that the rest will be woken. */
  pump(): void {
    if (!this.#pause.on) this.#watch.emitChange(); // during a pause the quota is not certain yet
    if (this.lanes.waiting === 0) return;
    const now = this.clock.monotonic();
    let lane = this.lanes.next;
    for (; lane !== undefined; lane = this.lanes.next) {
      const permit = this.admit(lane, lane.isLoginNext, now);
      if (permit === undefined) break;
      lane.grantNext(permit);
    }
    if (this.lanes.waiting > 0 && !this.#pause.on) {
      this.#quota?.want(this.lanes.waiting, now);
      if (lane !== undefined) this.#watch.awaitRoom(this.#inFlight, now);
      for (const lane of this.lanes) lane.watchUnread();
    }
    this.holdTimers();
  }

  /** Timers keep the process alive only while a call waits (rule G4). */
  holdTimers(): void {
    this.#pause.hold(this.lanes.waiting > 0);
    this.#watch.hold(this.lanes.waiting > 0);
  }

  #mayGo(lane: GateLane, isLogin: boolean, now: number): boolean {
    if (this.#pause.on || this.#epochInFlight >= this.#allowed) return false;
    // Logins may exceed `concurrency` and the quota, because everybody else waits for them.
    if (isLogin) return true;
    return lane.hasRoom && (this.#quota?.mayStart(this.#inFlight, now) ?? true);
  }

  #grant(lane: GateLane, isLogin: boolean): Permit {
    this.#quota?.started(isLogin, this.#inFlight);
    this.#watch.started();
    this.#inFlight++;
    this.#epochInFlight++;
    lane.inFlight++;
    const isBeyond = lane.inFlight > lane.concurrency;
    return { epoch: this.#epoch, isLogin, isBeyond, startedAt: this.clock.monotonic() };
  }

  /** @returns whether a limit was met since the permit was granted. */
  #takeBack(lane: GateLane, permit: Permit): boolean {
    this.#inFlight--;
    lane.inFlight--;
    if (permit.epoch !== this.#epoch) return true;
    this.#epochInFlight--;
    return false;
  }

  /** A request returned without a limit: two more may go, or all the others if the quota is known (rule G3). */
  #allowMore(): void {
    if (this.#allowed === Number.POSITIVE_INFINITY) return;
    const mayAllGo = this.#quota?.isKnown || this.#allowed >= this.lanes.concurrency;
    this.#allowed = mayAllGo ? Number.POSITIVE_INFINITY : this.#allowed + 1;
  }

  /** The quota may have room again; once that is overdue, one request goes to find out (rule G9). */
  #tryAgain(isOverdue: boolean): void {
    const next = isOverdue && this.#inFlight === 0 ? this.lanes.next : undefined;
    next?.grantNext(this.#grant(next, next.isLoginNext));
    this.pump();
  }

  #close(wait: LimitWait, { source, startedAt, elsewhere, status }: PauseCause): void {
    const { began, grewByMs, asksLonger } = this.#pause.extend(wait, { elsewhere, status });
    if (this.lanes.size === 0) this.#pause.stop(); // closed: nobody waits, but the limited call still needs the end time
    // A limit met elsewhere says something about the quota only if these clients wanted to send more.
    const concernsQuota = elsewhere === undefined || this.#inFlight > 0 || this.lanes.waiting > 0;
    if (concernsQuota) this.#quota?.limited(wait.waitMs, startedAt, this.#inFlight);
    if (asksLonger) for (const lane of this.lanes) lane.rejectLongWaits();
    if (began) {
      this.#epoch++;
      this.#epochInFlight = 0;
      this.#allowed = 1;
      this.#watch.stop();
      this.lanes.emit('pause', this.#describePause(wait.waitMs, source));
    } else if (grewByMs > 1000) {
      this.#emitHeartbeat();
    }
    this.holdTimers();
    if (elsewhere === undefined && asksLonger) this.publish(this.#pause.askedUntil as Date, this.#pause.status);
  }

  #open(pausedMs: number): void {
    this.#quota?.opened();
    this.lanes.emit('resume', { pausedMs, ...this.#scope });
    this.pump();
  }

  #describePause(waitMs: number, source: PauseCause['source']) {
    return { reason: 'rate-limit', waitMs, resumeAt: this.#pause.resumeAt as Date, source, ...this.#scope } as const;
  }

  #emitHeartbeat(): void {
    this.lanes.emit('heartbeat', { reason: 'rate-limit', ...this.#pause.heartbeat, ...this.#scope });
  }
}
