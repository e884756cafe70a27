import { parseJson, sleep, systemClock } from '../../internal/index.js';
import { type CaseDefinition, isOneOf, type Judge } from '../case.js';
import type { ReadyRequest } from '../probes.js';
import { type Exchange, idleMs, summarize } from '../probing/exchange.js';
import { lacksInvalidBody, lacksProbe, lacksServedSession } from '../probing/lacks.js';
import { CannotCheck, hasResponse } from '../probing/limits.js';
import { findMixedUp } from '../probing/mixed-up.js';
import { hasSucceeded, type Session } from '../probing/prober.js';
import { deadSession, servedReadable } from '../probing/with-session.js';

const inParallel = 4;

/** The connector serves several connections at the same time. It comes first: where it fails, nothing else can be judged. */
export const parallelCase: CaseDefinition = {
  id: 'connections.parallel',
  rule: 'G1',
  title: 'Requests on several connections are served in parallel',
  why: 'The service sends up to 64 requests at the same time. One that waits for the others times out.',
  lacks: (prober) => lacksProbe(prober, 'unknownRoute'),
  async check(judge) {
    const { prober, settings } = judge;
    const ask = () => Promise.all(Array.from({ length: inParallel }, () => prober.sendNow(settings.unknownRoute)));
    const isSilent = (each: Exchange) => !hasResponse(each);
    const first = (await ask()).filter(isSilent);
    if (first.length === inParallel)
      throw new CannotCheck(`the route does not respond at all (${summarize(first[0]!)})`);
    const silent = first.length === 0 ? [] : (await ask()).filter(isSilent); // once may be chance
    if (silent.length === 0) {
      const mixedUp = prober.canLogIn ? undefined : await findMixedUp(prober); // with a session: `session.parallel`
      if (mixedUp !== undefined) judge.found(mixedUp.seen, mixedUp.problem);
      return;
    }
    judge.found(
      silent[0]!,
      `; of ${inParallel} simultaneous requests, each on its own connection, ${silent.length} got no response`,
    );
    prober.block('the connector does not serve several connections at the same time (connections.parallel)');
  },
};

/** A connection that is used again. */
export const refusedPostCase: CaseDefinition = {
  id: 'session.refused-post',
  rule: 'S4',
  title: 'A POST without a session gets a 401, and a refused POST does not break the next request on its connection',
  why: 'A POST that needs no session can be sent by anybody. A body that is left unread becomes the beginning of the next request: the one that the service repeats after the login.',
  lacks: (prober) => lacksServedSession(prober) ?? lacksInvalidBody(prober),
  async check(judge) {
    const { prober } = judge;
    await servedReadable(prober);
    await refusePost(judge, {});
    if (judge.problems.length === 0) await refusePost(judge, await deadSession(prober));
  },
};

async function refusePost(judge: Judge, refusedSession: Session): Promise<void> {
  const { prober, settings } = judge;
  const session = await prober.session();
  await sleep(systemClock, idleMs);
  const refused = await prober.send(settings.invalid as ReadyRequest, refusedSession);
  // Parsers of bodies often come before anything looks for a session; and schemas, before anything looks the session up.
  const isJson = parseJson(String(settings.invalid?.body)) !== undefined;
  const mustBe401 = isJson && Object.keys(refusedSession).length === 0;
  judge.status(refused, mustBe401 ? isOneOf(401) : isOneOf(400, 401), mustBe401 ? '401' : '400 or 401');
  await sleep(systemClock, idleMs);
  const next = await prober.send(prober.readable, session);
  if (refused.response?.status !== 401 || next.response?.status === 401 || hasSucceeded(next)) return;
  judge.found(
    next,
    ', as the next request on the connection of a POST that was refused with 401; before it was a success. The body of the POST was not read',
  );
}
