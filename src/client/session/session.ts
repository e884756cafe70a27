import { isConnectorError } from '../../contract/index.js';
import { abortable, isErrorOf, sleep } from '../../internal/index.js';
import { AbandonedLogin, beginCooldown, InitializeError, refusedEarlier } from '../errors.js';
import { copyLimitError } from '../rate-limit/wait-limits.js';
import { createRenew, isNewer, type Renew, type SessionOptions } from './renew.js';
import type { SharedSession } from './state.js';
import { type Turns, turnsOf } from './turns.js';

/** What the requests sent with a session have shown (rule S4). */
interface SessionUse {
  readonly generation: number;
  /** Whether one of them got through: a later refusal then means that the session has ended. */
  accepted: boolean;
  sent: number;
  /** How many of these have no response yet. */
  unanswered: number;
}

/** The session that a request was sent with. */
export interface Session {
  readonly generation: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The same with the client's default headers: built once, because most requests carry nothing else. */
  readonly withDefaults: Readonly<Record<string, string>>;
  /** When its login happened, whoever made it, on the monotonic clock. */
  readonly since: number;
  /** Whether another client made the login. */
  readonly adopted: boolean;
  readonly use: SessionUse;
  /** Set while one call tries it once more, for all calls (rule S4): whether it was accepted. */
  recheck: Promise<boolean> | undefined;
}

/** Ends a recheck: says whether the session was accepted. Only the first call counts. */
export type EndRecheck = (wasAccepted: boolean) => void;

interface RunningLogin {
  readonly promise: Promise<Session>;
  readonly abandon: AbortController;
  waiters: number;
}

/** How long to wait before rechecking a fresh session that was refused (rule S4). */
const freshSessionDelayMs = 1000;

/** How often, at most, while other requests with it are unanswered. */
const mostFreshSessionDelays = 3;

/** The session of a connection: one login for all calls (rule S3), guarded by its generation (rule S4). */
export class SessionHolder {
  readonly #options: SessionOptions;
  readonly #renew: Renew;
  readonly turns: Turns;
  #current: Session | undefined;
  #lastGeneration = 0;
  #running: RunningLogin | undefined;
  #refusal: { error: InitializeError; until: number } | undefined;
  /** The last session that was refused without ever having worked, and how many there were in a row. */
  #neverAccepted: { generation: number; inARow: number; until: number } | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#renew = createRenew(options);
    this.turns = turnsOf(options.state);
  }

  get current(): Session | undefined {
    return this.#current;
  }

  get status(): 'none' | 'active' | 'renewing' {
    if (this.#running !== undefined) return 'renewing';
    return this.#current === undefined ? 'none' : 'active';
  }

  /**
   * The session to send with; logs in if there is none.
   *
   * @throws InitializeError when the login failed, or was refused less than `loginCooldownMs` ago; or the reason of the
   *   signal, or of `closing`.
   */
  async acquire(signal: AbortSignal | undefined): Promise<Session> {
    const { clock, closing } = this.#options;
    for (;;) {
      closing.throwIfAborted();
      if (this.#current !== undefined) return this.#current;
      const refusal = this.#refusal && refusedEarlier(this.#refusal.error, clock, this.#refusal.until);
      if (refusal) throw refusal;
      this.#running ??= this.#start();
      const running = this.#running;
      running.waiters++;
      try {
        return await abortable(running.promise, signal, closing);
      } catch (error) {
        // This call joined a login just as the last call that wanted it left: start another one.
        if (!isErrorOf(error, 'AbandonedLogin'))
          throw isConnectorError(error, 'rate-limit') ? copyLimitError(error) : error;
      } finally {
        running.waiters--;
        // No call wants this session any more: a login that has to wait ends here (rule G4).
        if (running.waiters === 0) running.abandon.abort(new AbandonedLogin());
      }
    }
  }

  /** Drops the session that a request was sent with, unless a newer one has replaced it (rule S4). */
  expire(session: Session): void {
    if (this.#current?.generation === session.generation) this.#current = undefined;
  }

  accept(session: Session): void {
    session.use.accepted = true;
    this.#neverAccepted = undefined;
  }

  /**
   * A 401 was final. If nothing ever got through with this session, logins become rarer until one does (rule S5). It
   * says nothing about the session that has replaced it.
   */
  markUnusable(session: Session): void {
    const isUnusable = session === this.#current && !session.use.accepted;
    if (!isUnusable || session.generation === this.#neverAccepted?.generation) return;
    const { clock, loginCooldownMs } = this.#options;
    const inARow = (this.#neverAccepted?.inARow ?? 0) + 1;
    const cooldownMs = Math.min(1000 * 2 ** inARow, loginCooldownMs);
    this.#neverAccepted = { generation: session.generation, inARow, until: clock.monotonic() + cooldownMs };
  }

  /** Whether it is too early for a login that would replace this session. */
  isCoolingDown(session: Session): boolean {
    const neverAccepted = this.#neverAccepted;
    if (neverAccepted?.generation !== session.generation || this.#current !== session) return false; // it was replaced
    return this.#options.clock.monotonic() < neverAccepted.until;
  }

  /** Begins the recheck of a refused session: other calls that it was refused for wait for the outcome. */
  beginRecheck(session: Session): EndRecheck {
    let settle: EndRecheck = () => {};
    const outcome = new Promise<boolean>((resolve) => (settle = resolve));
    session.recheck = outcome;
    return (wasAccepted) => {
      if (session.recheck === outcome) session.recheck = undefined;
      settle(wasAccepted);
    };
  }

  /**
   * Delays the recheck, for longer while requests with that session are unanswered: they may show that it works. Then
   * adopts a newer session if another client has logged in since (rule S4).
   */
  async delayRecheck(session: Session, signal: AbortSignal | undefined): Promise<void> {
    const { state, clock, closing } = this.#options;
    const { use } = session;
    let delays = 0;
    do {
      await sleep(clock, freshSessionDelayMs, signal, closing);
    } while (++delays < mostFreshSessionDelays && use.unanswered > 0 && !use.accepted);
    const startedAt = clock.monotonic();
    const asked = (async () => state.newer?.(session.generation, clock))().catch(() => undefined);
    const newer = await abortable(asked, signal, closing);
    if (isNewer(newer, session.generation) && this.#current === session) this.#use(newer, true, startedAt);
  }

  /** Ends a login in progress; the calls that wait for it are told by `closing`. */
  shutDown(): void {
    this.#running?.abandon.abort(new AbandonedLogin());
  }

  #start(): RunningLogin {
    const abandon = new AbortController();
    const running: RunningLogin = { promise: this.#login(abandon.signal), abandon, waiters: 0 };
    const clear = () => {
      if (this.#running === running) this.#running = undefined;
    };
    running.promise.then(clear, clear);
    return running;
  }

  async #login(signal: AbortSignal): Promise<Session> {
    const { clock, loginCooldownMs } = this.#options;
    const startedAt = clock.monotonic();
    const expired = this.#lastGeneration;
    try {
      const { shared, adopted } = await this.#renew(expired, signal);
      return this.#use(shared, adopted, startedAt);
    } catch (error) {
      if (error instanceof InitializeError && error.refused) {
        if (error.retryAt === undefined) beginCooldown(error, clock, loginCooldownMs);
        const leftMs = (error.retryAt as Date).getTime() - clock.now();
        this.#refusal = { error, until: clock.monotonic() + Math.min(leftMs, loginCooldownMs) };
      }
      throw error;
    }
  }

  #use(shared: SharedSession, adopted: boolean, startedAt: number): Session {
    const { clock, emit } = this.#options;
    const { generation, headers, ageMs = adopted ? Number.POSITIVE_INFINITY : 0 } = shared;
    const withDefaults = { ...this.#options.headers, ...headers };
    const since = clock.monotonic() - ageMs;
    const use = useOf(shared);
    const session: Session = { generation, headers, withDefaults, since, adopted, use, recheck: undefined };
    const reason = this.#lastGeneration === 0 ? 'first' : 'expired';
    this.#lastGeneration = generation;
    this.#current = session;
    this.#refusal = undefined;
    if (!adopted) emit('initialize', { generation, reason, durationMs: clock.monotonic() - startedAt });
    return session;
  }
}

const uses = new WeakMap<SharedSession['headers'], SessionUse>();

/** Clients that share a session in one process know of each other's requests. */
function useOf({ generation, headers }: SharedSession): SessionUse {
  const known = uses.get(headers);
  if (known?.generation === generation) return known;
  const use = { generation, accepted: false, sent: 0, unanswered: 0 };
  uses.set(headers, use);
  return use;
}
