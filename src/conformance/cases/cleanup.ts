import { casesWith, isOneOf } from '../case.js';
import { lacksServedSession, lacksSession } from '../probing/lacks.js';
import { CannotCheck } from '../probing/limits.js';
import { hasSucceeded, isSuccess, type Prober, type Session } from '../probing/prober.js';
import { toCleanup } from '../probing/samples.js';
import { deadSession, newSession, servedReadable } from '../probing/with-session.js';
import { sampleStatus } from './sample-status.js';

/** Closing a connection (rule S1). */
export const cleanupCases = casesWith({ feature: 'cleanup' }, [
  {
    id: 'cleanup.answers',
    rule: 'S1',
    title: 'cleanup succeeds with a session',
    why: 'The service calls cleanup when it closes a connection, and reports failures.',
    lacks: lacksSession,
    async check(judge) {
      judge.status((await cleanUp(judge.prober)).seen, isSuccess, 'a success (2xx)');
    },
  },
  {
    id: 'cleanup.ends-session',
    rule: 'S1',
    severity: 'warning',
    title: 'After cleanup the session is refused with 401',
    why: 'A session that outlives its connection can be stolen and used.',
    lacks: lacksServedSession,
    async check(judge) {
      const session = await endedSession(judge.prober);
      judge.status(await judge.prober.send(judge.prober.readable, session), isOneOf(401), '401');
    },
  },
  {
    id: 'cleanup.without-session',
    rule: 'E2',
    title: 'cleanup without a session is a success or a 401',
    why: 'The service also closes connections whose session has already expired.',
    ...sampleStatus('cleanup-without-session', isDone, 'a success, or 401'),
  },
  {
    id: 'cleanup.dead-session',
    rule: 'S1',
    title: 'cleanup with an ended session is a success or a 401',
    why: 'Sessions end on their own. The service cleans up all the same, and would report a failure.',
    lacks: lacksSession,
    async check(judge) {
      const { prober } = judge;
      const session = await endedSession(prober);
      const over = await prober.send(toCleanup(prober), session);
      judge.status(over, isDone, 'a success, or 401, even the second time');
      if (isDone(over.response?.status ?? 0))
        judge.status(await prober.send(toCleanup(prober), await deadSession(prober)), isDone, 'a success, or 401');
    },
  },
  {
    id: 'cleanup.other-sessions',
    rule: 'S1',
    title: 'cleanup ends no other session',
    why: 'Several processes of the service have sessions of their own. One that closes must not stop the others.',
    lacks: lacksServedSession,
    async check(judge) {
      const { prober } = judge;
      await servedReadable(prober);
      const older = prober.toSession(await prober.logIn());
      const newer = prober.toSession(await prober.logIn());
      if (JSON.stringify(newer) === JSON.stringify(older)) return; // one session for all logins of a user
      let before = await prober.send(prober.readable, older);
      // A login may end the session before it: then its process cleans that up when another has the newer.
      const isOver = before.response?.status === 401;
      const [cleaned, kept] = isOver ? [older, newer] : [newer, older];
      if (isOver) before = await prober.send(prober.readable, kept);
      if (before.response?.status === 401) return; // no session lasts
      judge.status(before, isSuccess, 'a success (2xx)');
      const { response } = await prober.send(toCleanup(prober), cleaned);
      if (!(isOver ? isDone : isSuccess)(response?.status ?? 500)) throw new CannotCheck('cleanup fails');
      const after = await prober.send(prober.readable, kept);
      if (after.response?.status !== 401)
        judge.status(after, isSuccess, 'a success (2xx) after the cleanup of another session');
      else if (await lasts(prober))
        judge.found(after, ` after the cleanup of another session, which ended this one, too`);
    },
  },
]);

/** Whether the service takes the session for ended (rule S1). */
function isDone(status: number): boolean {
  return isSuccess(status) || status === 401;
}

/** Whether a session serves two requests; some end by themselves after fewer. */
async function lasts(prober: Prober): Promise<boolean> {
  const session = await newSession(prober);
  return (await prober.send(prober.readable, session)).response?.status !== 401;
}

/** Cleans up a new session, because the shared one is still needed. */
function cleanUp(prober: Prober) {
  return prober.once('cleanup', async () => {
    const session = await newSession(prober);
    return { session, seen: await prober.send(toCleanup(prober), session) };
  });
}

/** The session that was cleaned up. @throws CannotCheck when that failed: `cleanup.answers` reports that. */
async function endedSession(prober: Prober): Promise<Session> {
  const { seen, session } = await cleanUp(prober);
  if (!hasSucceeded(seen)) throw new CannotCheck('cleanup fails');
  return session;
}
