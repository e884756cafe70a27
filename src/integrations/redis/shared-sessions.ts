import { randomUUID } from 'node:crypto';
import type { SharedSession } from '../../client/index.js';
import { sleep, systemClock } from '../../internal/index.js';
import type { Link } from './link.js';
import type { Settings } from './options.js';
import { beginRenewal, extend, findNewer, giveUp, type Names, save } from './scripts.js';
import { createSeal, type Seal } from './seal.js';

type Login = () => Promise<Record<string, string>>;

/** How often to look for another process's session: its message may get lost. */
const lookMs = 1000;

/** The session of a connection, shared through Redis: one process logs in, the others adopt its session. */
export class SharedSessions {
  readonly #link: Link;
  readonly #names: Names;
  readonly #settings: Settings;
  readonly #message: string;
  readonly #seal: Seal;
  readonly #closing: AbortSignal;
  #news = new AbortController();
  /** `since` is the time of its login on this process's monotonic clock; `undefined` when Redis does not know it. */
  #known: (SharedSession & { since: number | undefined }) | undefined;
  #flight: Promise<SharedSession> | undefined;

  constructor(link: Link, names: Names, settings: Settings, message: string, closing: AbortSignal) {
    this.#link = link;
    this.#names = names;
    this.#settings = settings;
    this.#message = message;
    this.#closing = closing;
    this.#seal = createSeal(settings.encryptionKey, settings.connection);
  }

  /** See `ConnectionState.renew`. */
  async renew(expired: number, login: Login): Promise<SharedSession> {
    for (;;) {
      const known = this.#newerHere(expired);
      if (known !== undefined) return known;
      this.#flight ??= this.#obtain(expired, login).finally(() => {
        this.#flight = undefined;
      });
      const session = await this.#flight;
      if (session.generation > expired) return session;
    }
  }

  /** See `ConnectionState.newer`. */
  async newer(than: number): Promise<SharedSession | undefined> {
    const known = this.#newerHere(than);
    if (known !== undefined) return known;
    const found = await this.#link.run((redis) => findNewer(redis, this.#names, than)).catch(() => undefined);
    if (found?.type !== 'session') return undefined;
    const headers = this.#seal.open(found.sealed);
    return headers && this.#know(found.generation, headers, found.ageMs);
  }

  /** Another process has logged in, or has failed to. */
  wake(): void {
    this.#news.abort();
    this.#news = new AbortController();
  }

  #newerHere(than: number): SharedSession | undefined {
    if (this.#known === undefined || this.#known.generation <= than) return undefined;
    const { generation, headers, since } = this.#known;
    return { generation, headers, ageMs: since === undefined ? undefined : systemClock.monotonic() - since };
  }

  /** Asks Redis what to do, again and again: each answer ends it or leads to a wait that a timer ends. */
  async #obtain(expired: number, login: Login): Promise<SharedSession> {
    const token = randomUUID();
    const { takeoverMs, whenAway, maxAwayMs } = this.#settings;
    const aloneAt = systemClock.monotonic() + (whenAway === 'wait' ? maxAwayMs : 0);
    let unusable = expired;
    let overtaken = false;
    while (!this.#closing.aborted) {
      const { signal } = this.#news; // read before asking redis, so that no message is missed
      const ask = { expired: unusable, token, takeoverMs };
      const step = await this.#link
        .run((redis, deadline) => beginRenewal(redis, this.#names, { ...ask, deadline }))
        .catch(() => undefined);
      if (step === undefined && systemClock.monotonic() >= aloneAt) break;
      if (step?.type === 'refused') throw readRefusal(step.refusal);
      if (step?.type === 'login') {
        const session = await this.#logIn(unusable, token, login);
        if (session !== undefined) return session;
        overtaken = true;
      } else if (step?.type === 'session') {
        const headers = this.#seal.open(step.sealed);
        // The login that was overtaken may have ended this session: a 401 with it says nothing, as with an old one.
        const ageMs = overtaken ? Number.POSITIVE_INFINITY : step.ageMs;
        if (headers !== undefined) return this.#know(step.generation, headers, ageMs);
        unusable = step.generation; // encrypted with another key
      } else {
        await sleep(systemClock, lookMs, signal, this.#closing).catch(() => {});
      }
    }
    // While Redis is away, each process logs in for itself.
    const headers = await login();
    return this.#know(this.#nextGeneration(unusable), headers, 0);
  }

  /** @returns `undefined` when another process has taken over meanwhile. */
  async #logIn(expired: number, token: string, login: Login): Promise<SharedSession | undefined> {
    const { takeoverMs, loginCooldownMs, sessionTtlMs } = this.#settings;
    const keeping = setInterval(() => {
      this.#link.run((redis) => extend(redis, this.#names, token, takeoverMs)).catch(() => {});
    }, takeoverMs / 3);
    let headers: Record<string, string>;
    try {
      headers = await login();
    } catch (error) {
      const facts = { token, reason: writeRefusal(error), cooldownMs: loginCooldownMs, message: this.#message };
      await this.#link.run((redis) => giveUp(redis, this.#names, facts)).catch(() => {});
      throw error;
    } finally {
      clearInterval(keeping);
    }
    const facts = { expired, sealed: this.#seal.close(headers), ttlMs: sessionTtlMs, token, message: this.#message };
    const generation = await this.#link.run((redis) => save(redis, this.#names, facts)).catch(() => undefined);
    return generation === 0 ? undefined : this.#know(generation ?? this.#nextGeneration(expired), headers, 0);
  }

  #nextGeneration(expired: number): number {
    return Math.max(expired, this.#known?.generation ?? 0) + 1;
  }

  #know(generation: number, headers: Readonly<Record<string, string>>, ageMs: number | undefined): SharedSession {
    this.#known = { generation, headers, since: ageMs === undefined ? undefined : systemClock.monotonic() - ageMs };
    return { generation, headers, ageMs };
  }
}

interface Refusal {
  message: string;
  status?: number;
  code?: string;
}

/** A refused login as JSON for other processes; `undefined` for other failures. Its message contains no secret (rule E5). */
function writeRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error) || (error as { refused?: unknown }).refused !== true) return undefined;
  const { message, status, code } = error as Refusal;
  return JSON.stringify({ message, status, code });
}

/** The refusal as an error that the client turns into an `InitializeError`, by its name and fields. */
function readRefusal(text: string): Error {
  const { message, ...facts } = JSON.parse(text) as Refusal;
  const error = new Error(`${message} (another process was refused a moment ago)`);
  return Object.assign(error, { name: 'InitializeError', refused: true, ...facts });
}
