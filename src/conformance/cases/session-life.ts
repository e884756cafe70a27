import { casesWith, isOneOf } from '../case.js';
import type { Exchange } from '../probing/exchange.js';
import { lacksServedSession } from '../probing/lacks.js';
import { hasResponse } from '../probing/limits.js';
import { findMixedUp } from '../probing/mixed-up.js';
import { isSuccess, type Prober } from '../probing/prober.js';
import { servedReadable } from '../probing/with-session.js';
import { refusedEverywhere, sampleStatus } from './sample-status.js';

const inParallel = 4;

export const sessionCases = casesWith({ feature: 'session' }, [
  {
    id: 'session.parallel',
    rule: 'S3',
    title: 'One session serves requests in parallel',
    why: 'The service logs in once, and sends up to 64 requests at the same time with that session.',
    lacks: lacksServedSession,
    async check(judge) {
      const { refused, bound } = await shareSession(judge.prober);
      const where = bound
        ? 'on a different connection from the login, where the session is not known'
        : 'among simultaneous requests with one session';
      for (const seen of refused.slice(0, 2)) judge.found(seen, ` ${where}; alone it is a success`);
      const mixedUp = refused.length > 0 ? undefined : await findMixedUp(judge.prober);
      if (mixedUp !== undefined) judge.found(mixedUp.seen, mixedUp.problem);
    },
  },
  {
    id: 'session.missing',
    rule: 'E2',
    title: 'A request without a session gets a 401',
    why: 'Data without a session is open to everybody, and only a 401 makes the service log in.',
    ...refusedEverywhere('missing-session'),
  },
  {
    id: 'session.dead',
    rule: 'E2',
    title: 'An invalid session gets a 401',
    why: 'After a 403 or 400 the service does not log in again, and its synchronization stops. After a success nobody asked who it is: any value would do as a session.',
    ...refusedEverywhere('dead-session'),
  },
  {
    id: 'session.expired',
    rule: 'S4',
    title: 'An expired session gets a 401',
    why: 'The 401 tells the service to log in again in the middle of a synchronization.',
    ...sampleStatus('expired-session', isOneOf(401), '401'),
  },
  {
    id: 'session.renewal',
    rule: 'S4',
    title: 'Logging in again gives a working session',
    why: 'The service logs in again as soon as a session has ended, without waiting for the old one to be removed.',
    lacks: lacksServedSession,
    async check(judge) {
      const { prober } = judge;
      await servedReadable(prober);
      await prober.session();
      const session = prober.toSession(await prober.logIn());
      const seen = await prober.send(prober.readable, session);
      judge.status(seen, isSuccess, 'a success (2xx) with the new session');
    },
  },
]);

/**
 * What was refused of requests at the same time with one session, and whether the session belongs to its connection. Once for
 * all cases. @throws CannotCheck when one request alone is refused.
 */
export function shareSession(prober: Prober): Promise<{ refused: Exchange[]; bound: boolean }> {
  return prober.once('session at the same time', async () => {
    await servedReadable(prober);
    let refused = await refusedOf(prober);
    if (refused.length > 0) {
      prober.forgetSession(); // it may just have ended
      refused = await refusedOf(prober);
    }
    if (refused.length === 0) return { refused, bound: false };
    const elsewhere = await sendElsewhere(prober);
    const bound = elsewhere.response?.status === 401;
    if (bound) prober.block('a session is known on one connection only (session.parallel)');
    return { refused: bound ? [elsewhere] : refused, bound };
  });
}

async function refusedOf(prober: Prober): Promise<Exchange[]> {
  const session = await prober.session();
  const sent = Array.from({ length: inParallel }, () => prober.sendNow(prober.readable, session));
  return (await Promise.all(sent)).filter((seen) => !isServed(prober, seen));
}

/** Requests without a session take the connections that are there, so that the one with the session gets another. */
async function sendElsewhere(prober: Prober): Promise<Exchange> {
  prober.forgetSession(); // it may have been used up by now
  const session = await prober.session();
  const others = Array.from({ length: inParallel }, () => prober.sendNow(prober.settings.unknownRoute));
  const elsewhere = await prober.sendNow(prober.readable, session);
  await Promise.all(others);
  return elsewhere;
}

function isServed(prober: Prober, seen: Exchange): boolean {
  return hasResponse(seen) && (isSuccess(seen.response.status) || prober.limits.isLimit(seen));
}
