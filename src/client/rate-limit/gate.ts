import type { Clock } from '../../internal/index.js';
import type { Quota } from '../events.js';
import { type LimitWait, type LimitWaitOptions, LimitWaits } from './limit-wait.js';
import { type Cause, Pause } from './pause.js';
import type { Permit } from './permit.js';
import type { AnnouncedQuota, Announcement } from './quota/announced.js';
import type { Passage } from './quota/quota.js';
import { QuotaWatch } from './quota/quota-watch.js';
import { type Visitor, Visitors } from './visitors.js';

export interface GateOptions {
  clock: Clock;
  /** `''` where the connection has only one. */
  scope: string;
  waits: LimitWaitOptions;
  /** Advice on how many may go; none where nothing is to be learned and nothing is announced. */
  quota: AnnouncedQuota | undefined;
  /** Whether the first request goes alone, to hear what is left. */
  startsAlone: boolean;
  /** Tells others of a pause that was met here. */
  publish(resumeAt: Date): Promise<void>;
}

/**
 * Who may go (rules G1 to G3, G9). Clients that share a state share it. A limit closes it for
 * everybody; afterwards one request goes first, and each that comes back without a limit lets two more follow. Where the quota
 * is known by then, the rest follow as it allows.
 *
 * It cannot stall. Somebody waits: then the pause is on, and has a timer that ends it; or a request is in flight, and its end
 * lets the next one go; or a body is being read, and its end does the same; or none of these, and the quota's watch has set a timer at the end of {@link Gate.pump}, after which one goes
 * whatever the quota says.
 */
export class Gate {
  readonly clock: Clock;
  readonly #options: GateOptions;
  readonly visitors = new Visitors();
  readonly #waits: LimitWaits;
  readonly #pause: Pause;
  readonly #quota: AnnouncedQuota | undefined;
  readonly #watch: QuotaWatch;
  /** Events name their scope only where there are several. */
  readonly #named: { scope?: string };
  #inFlight = 0;
  #epoch = 0;
  #epochInFlight = 0;
  /** How many of this epoch may be in flight: the steps of the release. */
  #allowed: number;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#waits = new LimitWaits(options.waits);
    this.#allowed = options.startsAlone ? 1 : Number.POSITIVE_INFINITY;
    const { clock, quota, scope } = options;
    this.clock = clock;
    this.#named = scope === '' ? {} : { scope };
    const onChange = (known: Quota | undefined) => this.visitors.tell('quota', { quota: known, ...this.#named });
    this.#quota = quota;
    this.#watch = new QuotaWatch({ clock, quota, onChange, onRoom: (isOverdue) => this.#tryAgain(isOverdue) });
    this.#pause = new Pause({ clock, onBeat: () => this.#beat(), onEnd: (ms) => this.#open(ms) });
  }

  get pause(): Pick<Pause, 'on' | 'resumeAt' | 'askedUntil' | 'askedMs' | 'totalMs'> {
    return this.#pause;
  }

  /** What is known of the limit. */
  get quota(): Quota | undefined {
    return this.#watch.known;
  }

  /** Tells others of a pause. A state that cannot take it is told of, and harms no call. */
  publish(resumeAt: Date): void {
    const tell = (error: unknown) => this.visitors.tell('error', { method: 'state', path: '', error });
    this.#options.publish(resumeAt).catch(tell);
  }

  join(visitor: Visitor): void {
    this.#pause.endIfOver(); // it had no timer while nobody was there
    this.visitors.add(visitor);
    this.#pause.start();
    if (this.#pause.on) visitor.emit('pause', this.#describePause(this.#pause.askedMs, 'header'));
  }

  /** That client is gone; what it has in flight comes back still. */
  part(visitor: Visitor): void {
    this.visitors.remove(visitor);
    this.pump();
    this.holdTimers();
    if (this.visitors.areThere) return;
    this.#pause.stop();
    this.#watch.stop();
  }

  /** Whether a request that was admitted with this permit may still be started: no limit was met since (rule G1). */
  isCurrent(permit: Permit): boolean {
    return permit.epoch === this.#epoch;
  }

  /** @returns nothing where it has to wait. */
  admit(visitor: Visitor, isLogin: boolean): Permit | undefined {
    this.#pause.endIfOver();
    this.#quota?.advance();
    return this.#mayPass(visitor, isLogin) ? this.#let(visitor, isLogin) : undefined;
  }

  /** Gives a permit back. */
  leave(visitor: Visitor, permit: Permit, passage: Passage): void {
    const isLate = this.#takeBack(visitor, permit);
    if (passage === 'passed' && !isLate) {
      this.#waits.reset();
      this.#allowMore();
    }
    this.#quota?.ended({ passage, isLogin: permit.isLogin, isLate });
    this.#tellQuota();
    this.pump();
  }

  /** Gives a permit back whose request met a limit; `waitMs` is missing where the response does not say how long. */
  limited(visitor: Visitor, permit: Permit, waitMs: number | undefined): void {
    const sameLimit = this.#takeBack(visitor, permit);
    const source = waitMs === undefined ? 'fallback' : 'header';
    const startedAt = permit.isLogin ? undefined : permit.startedAt;
    this.#close(this.#waits.choose(waitMs, sameLimit), { source, startedAt });
  }

  /**
   * A response says what the quota is. The permit is still to be given back: the quota hears before the next one goes.
   *
   * @param isBinding whether the gate closes when nothing is left, because the options say that this can be believed.
   */
  announce(permit: Permit, announcement: Announcement, isBinding: boolean): void {
    if (permit.epoch !== this.#epoch || this.#pause.on) return;
    this.#quota?.announce(announcement, this.#epochInFlight, isBinding);
    const waitMs = this.#quota?.emptyForMs ?? 0;
    if (isBinding && waitMs > 0) this.#close(this.#waits.known(waitMs), { source: 'header' });
  }

  /** Closes the gate for a pause that was met elsewhere, or before. What was told here comes back, and changes nothing. */
  pauseUntil(resumeAt: Date): void {
    const known = this.#pause.askedUntil;
    if (known !== undefined && resumeAt <= known) return;
    const waitMs = resumeAt.getTime() - this.clock.now();
    if (waitMs > 0) this.#close(this.#waits.known(waitMs), { source: 'header', elsewhere: resumeAt });
  }

  /** Begins with what was learned before; what this gate has learned itself counts more. */
  learn(quota: Quota): void {
    this.#quota?.seed(quota);
    this.#tellQuota();
  }

  /** Lets in whoever may go, and sees to it that whoever still waits will be woken. */
  pump(): void {
    if (!this.visitors.isAnyWaiting) return;
    for (let visitor = this.visitors.next; visitor !== undefined; visitor = this.visitors.next) {
      const permit = this.admit(visitor, visitor.isLoginNext);
      if (permit === undefined) break;
      visitor.serve(permit);
    }
    if (this.visitors.isAnyWaiting && !this.#pause.on) this.#watch.awaitRoom(this.#inFlight);
    this.holdTimers();
  }

  /** A wait keeps the process alive only while somebody waits (rule G4). */
  holdTimers(): void {
    const isAwaited = this.visitors.isAnyWaiting;
    this.#pause.hold(isAwaited);
    this.#watch.hold(isAwaited);
  }

  #mayPass(visitor: Visitor, isLogin: boolean): boolean {
    if (this.#pause.on || this.#epochInFlight >= this.#allowed) return false;
    // Logins go beyond `concurrency` and the quota, since everybody else waits for them.
    if (isLogin) return true;
    return visitor.hasRoom && (this.#quota?.mayStart(this.#inFlight) ?? true);
  }

  #let(visitor: Visitor, isLogin: boolean): Permit {
    this.#quota?.started(isLogin, this.#inFlight);
    this.#watch.started();
    this.#inFlight++;
    this.#epochInFlight++;
    visitor.inFlight++;
    return { epoch: this.#epoch, isLogin, startedAt: this.clock.monotonic() };
  }

  /** @returns whether a limit was met since it was given. */
  #takeBack(visitor: Visitor, permit: Permit): boolean {
    this.#inFlight--;
    visitor.inFlight--;
    if (permit.epoch !== this.#epoch) return true;
    this.#epochInFlight--;
    return false;
  }

  /** One came back without a limit: two more, or all the rest where it is known how many the connector takes (rule G3). */
  #allowMore(): void {
    if (this.#allowed === Number.POSITIVE_INFINITY) return;
    const areAllFree = this.#quota?.isKnown || this.#allowed >= this.visitors.concurrency;
    this.#allowed = areAllFree ? Number.POSITIVE_INFINITY : this.#allowed + 1;
  }

  /** There may be room in the quota; once that is overdue, one goes to see. */
  #tryAgain(isOverdue: boolean): void {
    const next = isOverdue && this.#inFlight === 0 ? this.visitors.next : undefined;
    next?.serve(this.#let(next, next.isLoginNext));
    this.pump();
  }

  #close(wait: LimitWait, { source, startedAt, elsewhere }: Cause): void {
    const { began, grewByMs, asksLonger } = this.#pause.extend(wait, elsewhere);
    if (!this.visitors.areThere) this.#pause.stop(); // nobody waits, but who was limited is to know until when
    // Somebody else's limit says how much was the share of these clients only if they would have sent more.
    const concerns = elsewhere === undefined || this.#inFlight > 0 || this.visitors.isAnyWaiting;
    if (concerns) this.#quota?.limited(wait.waitMs, startedAt);
    if (asksLonger) this.visitors.refuse();
    if (began) {
      this.#epoch++;
      this.#epochInFlight = 0;
      this.#allowed = 1;
      this.#watch.stop();
      this.visitors.tell('pause', this.#describePause(wait.waitMs, source));
    } else if (grewByMs > 1000) {
      this.#beat();
    }
    this.holdTimers();
    if (elsewhere === undefined && asksLonger) this.publish(this.#pause.askedUntil as Date);
  }

  #open(pausedMs: number): void {
    this.#quota?.opened();
    this.visitors.tell('resume', { pausedMs, ...this.#named });
    this.#tellQuota();
    this.pump();
  }

  #describePause(waitMs: number, source: Cause['source']) {
    return { reason: 'rate-limit', waitMs, resumeAt: this.#pause.resumeAt as Date, source, ...this.#named } as const;
  }

  #beat(): void {
    this.visitors.tell('heartbeat', { reason: 'rate-limit', ...this.#pause.heartbeat, ...this.#named });
  }

  /** A quota is certain when the pause is over. */
  #tellQuota(): void {
    if (!this.#pause.on) this.#watch.tell();
  }
}
