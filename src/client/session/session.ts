import { abortable, type Clock, sleep } from '../../internal/index.js';
import { AbandonedLogin, InitializeError, toInitializeErrorOfOwn } from '../errors.js';
import type { Emit } from '../events.js';
import { expectManyListeners } from '../http/many-listeners.js';
import type { ConnectionState, SharedSession } from './state.js';
import { type Trial, Trials } from './trials.js';

/** The session that a request was sent with. */
export interface Session {
  readonly generation: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The same with what every request carries: made once, because most requests carry nothing else. */
  readonly withDefaults: Readonly<Record<string, string>>;
  /** When its login was, whoever made it, on the monotonic clock. */
  readonly since: number;
  /** Whether another client logged in. */
  readonly adopted: boolean;
  /** Whether a request of this client got through with it: when it is refused later, it has ended, and was not only too fresh. */
  accepted: boolean;
}

/** Calls initialize. The signal ends its waits; what is already on the wire is left to finish. */
export type Login = (signal: AbortSignal) => Promise<Record<string, string>>;

export interface SessionOptions {
  login: Login;
  state: ConnectionState;
  clock: Clock;
  emit: Emit;
  /** What every request carries. */
  headers: Readonly<Record<string, string>>;
  /** For how long after a refused login calls fail at once, and at most after logins that came to nothing (rule S5). */
  loginCooldownMs: number;
}

interface RunningLogin {
  readonly promise: Promise<Session>;
  readonly abandon: AbortController;
  waiters: number;
}

/** How long to wait before a fresh session that was refused is tried again (rule S4). */
const freshSessionDelayMs = 1000;

/** The one session of a connection: one login for everybody (rule S3), guarded by generation (rule S4). */
export class SessionHolder {
  readonly #options: SessionOptions;
  #current: Session | undefined;
  #lastGeneration = 0;
  #running: RunningLogin | undefined;
  #refusal: { error: InitializeError; until: number } | undefined;
  /** The session that was refused last without ever having worked, and how many were before it. */
  #fruitless: { generation: number; inARow: number; until: number } | undefined;
  #closedBy: (() => Error) | undefined;
  readonly #closing = new AbortController();
  readonly #trials = new Trials();

  constructor(options: SessionOptions) {
    this.#options = options;
    expectManyListeners(this.#closing.signal);
  }

  get current(): Session | undefined {
    return this.#current;
  }

  get status(): 'none' | 'active' | 'renewing' {
    if (this.#running !== undefined) return 'renewing';
    return this.#current === undefined ? 'none' : 'active';
  }

  /**
   * The session to send with; logs in when there is none.
   *
   * @throws InitializeError when the login failed, or was refused less than `loginCooldownMs` ago.
   */
  acquire(signal?: AbortSignal): Session | Promise<Session> {
    if (this.#closedBy) throw this.#closedBy();
    return this.#current ?? this.#join(signal);
  }

  /** Marks the session dead that a request was sent with; a newer one stays (rule S4). */
  expire(session: Session): void {
    if (this.#current?.generation === session.generation) this.#current = undefined;
  }

  /** A request got through. */
  accept(session: Session): void {
    session.accepted = true;
    this.#fruitless = undefined;
  }

  /** A 401 was a verdict: where nothing ever got through with that session, logins become rarer until something does (rule S5). */
  condemn(session: Session): void {
    if (session.accepted || session.generation === this.#fruitless?.generation) return;
    const { clock, loginCooldownMs } = this.#options;
    const inARow = (this.#fruitless?.inARow ?? 0) + 1;
    const cooldownMs = Math.min(1000 * 2 ** inARow, loginCooldownMs);
    this.#fruitless = { generation: session.generation, inARow, until: clock.monotonic() + cooldownMs };
  }

  /** Whether it is too early for another login in the place of that session. */
  coolsDown(session: Session): boolean {
    const fruitless = this.#fruitless;
    if (fruitless?.generation !== session.generation || this.#current !== session) return false; // a newer one is used
    return this.#options.clock.monotonic() < fruitless.until;
  }

  /** Begins the trial of a session that was refused: whoever else was refused it waits for what comes of it. */
  beginTrial({ generation }: Session): Trial {
    return this.#trials.begin(generation);
  }

  /** A moment later the trial goes out; with a newer session, if another client has brought one meanwhile. */
  async delayTrial(session: Session, signal: AbortSignal | undefined): Promise<void> {
    await this.sleep(freshSessionDelayMs, signal);
    await this.#adoptNewer(session);
  }

  /** Whether somebody tries that session again. */
  isOnTrial({ generation }: Session): boolean {
    return this.#trials.outcome(generation) !== undefined;
  }

  /** What comes of the trial that is under way. @throws (rejects with) the signal's reason, or that of closing. */
  outcome({ generation }: Session, signal: AbortSignal | undefined): Promise<boolean> {
    return abortable(this.#trials.outcome(generation) as Promise<boolean>, this.#orClosing(signal));
  }

  /** Waits; ends with the signal, or when the client is closed. */
  sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
    return sleep(this.#options.clock, delayMs, this.#orClosing(signal));
  }

  /** Rejects everybody who waits for a login, and everybody who comes later. */
  shutDown(error: () => Error): void {
    this.#closedBy = error;
    this.#closing.abort(error());
    this.#running?.abandon.abort(new AbandonedLogin());
  }

  async #join(signal: AbortSignal | undefined): Promise<Session> {
    for (;;) {
      if (this.#current !== undefined) return this.#current;
      const refused = this.#recentRefusal();
      if (refused) throw refused;
      this.#running ??= this.#start();
      const running = this.#running;
      running.waiters++;
      try {
        return await abortable(running.promise, this.#orClosing(signal));
      } catch (error) {
        // Somebody joined a login in the moment in which the last of those who had wanted it went away.
        if (!(error instanceof AbandonedLogin) || this.#closedBy) throw error;
      } finally {
        running.waiters--;
        // Nobody is left who wants this session: a login that has to wait ends here (rule G4).
        if (running.waiters === 0) running.abandon.abort(new AbandonedLogin());
      }
    }
  }

  #orClosing(signal: AbortSignal | undefined): AbortSignal {
    const { signal: closing } = this.#closing;
    return signal === undefined ? closing : AbortSignal.any([signal, closing]);
  }

  #start(): RunningLogin {
    const abandon = new AbortController();
    const promise = this.#login(abandon.signal);
    promise.catch(() => {});
    const running: RunningLogin = { promise, abandon, waiters: 0 };
    promise.then(
      () => this.#settled(running),
      () => this.#settled(running),
    );
    return running;
  }

  #settled(running: RunningLogin): void {
    if (this.#running === running) this.#running = undefined;
  }

  async #login(signal: AbortSignal): Promise<Session> {
    const { clock, loginCooldownMs } = this.#options;
    const startedAt = clock.monotonic();
    const expired = this.#lastGeneration;
    try {
      const { shared, adopted } = await this.#renew(expired, signal);
      return this.#take(shared, adopted, startedAt);
    } catch (error) {
      if (error instanceof InitializeError && error.refused) {
        this.#refusal = { error, until: clock.monotonic() + loginCooldownMs };
      }
      throw error;
    }
  }

  #take(shared: SharedSession, adopted: boolean, startedAt: number): Session {
    const { clock, emit } = this.#options;
    const { generation, headers, ageMs = adopted ? Number.POSITIVE_INFINITY : 0 } = shared;
    const withDefaults = { ...this.#options.headers, ...headers };
    const since = clock.monotonic() - ageMs;
    const session: Session = { generation, headers, withDefaults, since, adopted, accepted: false };
    const reason = this.#lastGeneration === 0 ? 'first' : 'expired';
    this.#lastGeneration = generation;
    this.#current = session;
    this.#refusal = undefined;
    emit('initialize', { generation, reason, durationMs: clock.monotonic() - startedAt });
    return session;
  }

  /** Another client may have logged in since: what it has is worth more than a session that was refused (rule S4). */
  async #adoptNewer(session: Session): Promise<void> {
    const { state, clock } = this.#options;
    const startedAt = clock.monotonic();
    const newer = await Promise.resolve(state.newer?.(session.generation, clock)).catch(() => undefined);
    if (newer !== undefined && this.#current === session) this.#take(newer, true, startedAt);
  }

  /** Where the state is shared, the login may be another client's: if that one gives up or closes, it is this one's turn. */
  async #renew(expired: number, signal: AbortSignal): Promise<{ shared: SharedSession; adopted: boolean }> {
    const { state, login, clock } = this.#options;
    for (;;) {
      let own = false;
      try {
        const logIn = () => {
          own = true;
          return login(signal);
        };
        return { shared: await state.renew(expired, logIn, clock), adopted: !own };
      } catch (error) {
        if (own || !(error instanceof AbandonedLogin) || signal.aborted) throw toInitializeErrorOfOwn(error);
      }
    }
  }

  #recentRefusal(): InitializeError | undefined {
    if (this.#refusal === undefined || this.#options.clock.monotonic() >= this.#refusal.until) return undefined;
    const { error } = this.#refusal;
    return new InitializeError(`${error.message} (not tried again yet: the last login was refused a moment ago)`, {
      status: error.status,
      code: error.code,
      refused: true,
      cause: error,
    });
  }
}
