import { randomUUID } from 'node:crypto';
import type { InitializeError, SharedSession } from '../../client/index.js';
import { sleep, systemClock } from '../../internal/index.js';
import type { Link } from './link.js';
import type { Settings } from './options.js';
import { beginRenewal, extend, findNewer, giveUp, type Names, save } from './scripts.js';
import { createSeal } from './seal.js';

type Login = () => Promise<Record<string, string>>;

/** How often to look for another process's session: its message may get lost. */
const lookMs = 1000;

/** The session of a connection, shared through Redis: one process logs in, the others adopt its session. */
export function sharedSessions(link: Link, names: Names, settings: Settings, message: string, closing: AbortSignal) {
  const { takeoverMs, loginCooldownMs: cooldownMs, sessionTtlMs: ttlMs, whenAway, maxAwayMs } = settings;
  const seal = createSeal(settings.encryptionKey, settings.connection);
  let news = new AbortController();
  /** `since` is the time of its login on this process's monotonic clock; `undefined` when Redis does not know it. */
  let known: (SharedSession & { since: number | undefined }) | undefined;
  let flight: Promise<SharedSession> | undefined;

  function newerHere(than: number): SharedSession | undefined {
    if (known === undefined || known.generation <= than) return undefined;
    const { generation, headers, since } = known;
    return { generation, headers, ageMs: since === undefined ? undefined : systemClock.monotonic() - since };
  }

  /** Asks Redis what to do, again and again: each answer ends it or leads to a wait that a timer ends. */
  async function obtain(expired: number, login: Login): Promise<SharedSession> {
    const token = randomUUID();
    let awaySince = systemClock.monotonic();
    let unusable = expired;
    /** The token of the login that this process waits for. */
    let awaited = '';
    let overtaken = false;
    while (!closing.aborted) {
      const { signal } = news; // read before asking redis, so that no message is missed
      const ask = { expired: unusable, token, awaited, takeoverMs };
      const step = await link
        .run((redis, deadline) => beginRenewal(redis, names, { ...ask, deadline }))
        .catch(() => undefined);
      if (step !== undefined) awaySince = systemClock.monotonic();
      else if (systemClock.monotonic() >= awaySince + (whenAway === 'wait' ? maxAwayMs : 0)) break;
      if (step?.type === 'failed') throw readFailure(step.failure, step.leftMs);
      if (step?.type === 'login') {
        const session = await logIn(unusable, token, login);
        if (session !== undefined) return session;
        overtaken = true;
      } else if (step?.type === 'session') {
        const headers = seal.open(step.sealed);
        // The login that was overtaken may have ended this session: a 401 with it says nothing, as with an old one.
        const ageMs = overtaken ? Number.POSITIVE_INFINITY : step.ageMs;
        if (headers !== undefined) return know(step.generation, headers, ageMs);
        unusable = step.generation; // encrypted with another key
      } else {
        awaited = step?.holder ?? awaited;
        await sleep(systemClock, lookMs, signal, closing).catch(() => {});
      }
    }
    // While Redis is away, each process logs in for itself.
    const headers = await login();
    return know(nextGeneration(unusable), headers, 0);
  }

  /** @returns `undefined` when another process has taken over meanwhile. */
  async function logIn(expired: number, token: string, login: Login): Promise<SharedSession | undefined> {
    const keeping = setInterval(() => {
      link.run((redis) => extend(redis, names, token, takeoverMs)).catch(() => {});
    }, takeoverMs / 3);
    let headers: Record<string, string>;
    try {
      headers = await login();
    } catch (error) {
      const facts = { token, ...writeFailure(error), cooldownMs, message };
      await link.run((redis) => giveUp(redis, names, facts)).catch(() => {});
      throw error;
    } finally {
      clearInterval(keeping);
    }
    const facts = { expired, sealed: seal.close(headers), ttlMs, token, message };
    const generation = await link.run((redis) => save(redis, names, facts)).catch(() => undefined);
    return generation === 0 ? undefined : know(generation ?? nextGeneration(expired), headers, 0);
  }

  function nextGeneration(expired: number): number {
    return Math.max(expired, known?.generation ?? 0) + 1;
  }

  function know(generation: number, headers: SharedSession['headers'], ageMs: number | undefined): SharedSession {
    known = { generation, headers, since: ageMs === undefined ? undefined : systemClock.monotonic() - ageMs };
    return { generation, headers, ageMs };
  }

  return {
    async renew(expired: number, login: Login): Promise<SharedSession> {
      for (;;) {
        const newer = newerHere(expired);
        if (newer !== undefined) return newer;
        flight ??= obtain(expired, login).finally(() => {
          flight = undefined;
        });
        const session = await flight;
        if (session.generation > expired) return session;
      }
    },
    async newer(than: number): Promise<SharedSession | undefined> {
      const here = newerHere(than);
      if (here !== undefined) return here;
      const found = await link.run((redis) => findNewer(redis, names, than)).catch(() => undefined);
      if (found?.type !== 'session') return undefined;
      const headers = seal.open(found.sealed);
      return headers && know(found.generation, headers, found.ageMs);
    },
    /** Another process has logged in, or has failed to. */
    wake(): void {
      news.abort();
      news = new AbortController();
    },
  };
}

type Failure = Pick<InitializeError, 'message' | 'status' | 'code' | 'refused'>;

/**
 * A failed login as JSON for other processes; its message contains no secret (rule E5). They hear nothing of a client that was
 * closed, nor of a failed connection, which may be this machine's own: then they log in themselves.
 */
function writeFailure(error: unknown): { failure: string | undefined; refused: boolean } {
  const { name, message, status, code, refused = false, cause } = Object(error) as InitializeError;
  const isShared = name === 'InitializeError' && (cause as { code?: unknown } | undefined)?.code !== 'NETWORK_ERROR';
  return { failure: isShared ? JSON.stringify({ message, status, code, refused }) : undefined, refused };
}

/** The failure as an error that the client turns into an `InitializeError`, by its name and fields. */
function readFailure(text: string, leftMs: number | undefined): Error {
  const { message, ...facts } = JSON.parse(text) as Failure;
  const retryAt = leftMs === undefined ? undefined : new Date(Date.now() + leftMs);
  const where = leftMs === undefined ? 'a login of another process' : 'the last login of any process, a moment ago';
  return Object.assign(new Error(`${message} (${where})`), { name: 'InitializeError', ...facts, retryAt });
}
