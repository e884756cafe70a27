import type { SessionParameter } from '../../contract/index.js';
import { sleep, systemClock } from '../../internal/index.js';
import type { ReadyRequest } from '../probes.js';
import { type Exchange, idleMs, summarize } from './exchange.js';
import { lacksProbe, lacksSession } from './lacks.js';
import { CannotCheck, type Completed } from './limits.js';
import { hasSucceeded, type Prober, type Session, sessionOf } from './prober.js';

/** Sends with the shared session. @throws CannotCheck when no session is accepted: `routes.readable` reports that. */
export async function withSession(prober: Prober, request: ReadyRequest): Promise<Exchange> {
  if (lacksSession(prober) !== undefined) return prober.send(request);
  await acceptedSession(prober);
  const seen = await prober.sendWithSession(request);
  if (seen.response?.status === 401) await stillAccepted(prober);
  return seen;
}

/** Whether a 401 is about the request, and not about the session. @throws CannotCheck when sessions are refused by now. */
async function stillAccepted(prober: Prober): Promise<void> {
  if (lacksProbe(prober, 'readable') !== undefined) return;
  const seen = await prober.sendWithSession(prober.readable);
  if (seen.response?.status === 401) throw new CannotCheck('every new session is refused with 401 by now');
}

/** The readable request with the shared session, which is a success. @throws CannotCheck when it is not: `routes.readable` reports that. */
export async function servedReadable(prober: Prober): Promise<Completed> {
  const seen = await takeReadable(prober);
  if (hasSucceeded(seen)) return seen;
  throw new CannotCheck(`the readable request fails (${summarize(seen)})`);
}

/** The readable request with the shared session, once. @throws CannotCheck when it gets a 401 and there is no login. */
export function takeReadable(prober: Prober): Promise<Exchange> {
  return prober.once('readable', async () => {
    const readable = prober.readable;
    const seen = await prober.sendWithSession(readable);
    if (seen.response?.status !== 401) return seen;
    if (!prober.canLogIn) {
      const hint = 'it needs a session: give the parameters of a login, `probes.initialize.parameters` (`-i`)';
      throw new CannotCheck(`${summarize(seen)}; ${hint}`);
    }
    // Both take the first idle connection: does the session live there? `session.parallel` looks elsewhere.
    prober.forgetSession();
    await sleep(systemClock, idleMs);
    const session = await prober.session();
    await sleep(systemClock, idleMs);
    return prober.send(readable, session);
  });
}

/** @throws CannotCheck when every session is refused. */
export async function acceptedSession(prober: Prober): Promise<void> {
  if (lacksProbe(prober, 'readable') !== undefined || !prober.canLogIn) return;
  if ((await takeReadable(prober)).response?.status === 401) throw new CannotCheck('every session is refused with 401');
}

/** A session of its own, which may be ended. @throws CannotCheck when it is refused. */
export async function newSession(prober: Prober): Promise<Session> {
  const session = prober.toSession(await prober.logIn());
  if (lacksProbe(prober, 'readable') !== undefined) return session;
  const seen = await prober.send(prober.readable, session);
  if (seen.response?.status === 401) throw new CannotCheck('a new session is refused');
  return session;
}

/** What is sent to initialize says nothing where no login can be posted: `session.initialize` reports that. */
export async function initializeIsThere(prober: Prober): Promise<void> {
  if (!prober.canLogIn) return;
  const status = (await prober.login()).response?.status;
  if (status === 404 || status === 405) throw new CannotCheck(`POST ${prober.settings.initialize.path} is a ${status}`);
}

/** The entries of the shared session that are secret: those marked as sensitive, or all if none is. */
export async function secretsOfSession(prober: Prober): Promise<SessionParameter[]> {
  await prober.session();
  const entries = sessionOf(await prober.login()) ?? [];
  const marked = entries.filter(({ sensitive }) => sensitive);
  return marked.length > 0 ? marked : entries;
}

/** The current session, with a random value of the same length in place of each secret. */
export async function deadSession(prober: Prober): Promise<Session> {
  const session = await prober.session();
  const made = await deadParts(prober);
  return Object.fromEntries(Object.entries(session).map(([key, value]) => [key, made.get(key) ?? value]));
}

/** Those values by their names. Made once. */
export function deadParts(prober: Prober): Promise<Map<string, string>> {
  return prober.once('dead session', async () => {
    const made = new Map((await secretsOfSession(prober)).map(({ key, value }) => [key, madeUp(value)]));
    for (const value of made.values()) prober.secrets.add(value);
    return made;
  });
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

function madeUp(value: string): string {
  const random = crypto.getRandomValues(new Uint8Array(Math.max(value.length, 16)));
  return [...random].map((byte) => letters[byte % letters.length]).join('');
}
