import { type CaseDefinition, isOneOf, type Judge } from '../case.js';
import type { Exchange } from '../probing/exchange.js';
import { lacksProbe } from '../probing/lacks.js';
import type { Session } from '../probing/prober.js';
import { lacksSample, type SampleName, takeSample } from '../probing/samples.js';
import { deadSession } from '../probing/with-session.js';

type Check = Pick<CaseDefinition, 'lacks' | 'check'>;

/** For a case that looks at a sample. */
export function ofSample(name: SampleName, check: (judge: Judge, seen: Exchange) => void | Promise<void>): Check {
  return {
    lacks: (prober) => lacksSample(prober, name),
    check: async (judge) => check(judge, await takeSample(judge.prober, name)),
  };
}

/** For a case that only looks at the status of a sample. */
export function sampleStatus(name: SampleName, accepts: (status: number) => boolean, expected: string): Check {
  return ofSample(name, (judge, seen) => judge.status(seen, accepts, expected));
}

/** For a case that expects a 401 to every request without a session, or with one that is not valid (rule E2). */
export function refusedEverywhere(name: 'missing-session' | 'dead-session'): Check {
  return ofSample(name, async (judge, seen) => {
    judge.status(seen, isOneOf(401), '401');
    if (judge.problems.length > 0) return; // the others are mostly the same
    await refuseOthers(judge, name === 'missing-session' ? {} : await deadSession(judge.prober));
  });
}

/** A path that no route has is a 404 for everybody (rule E4), and a query may be checked first: neither shows anything. */
const alsoRight = { unknown: 404, forbidden: 401, invalid: 400 };

/**
 * The other requests that need a session, but for the failing one, which may fail before anything looks at the session, and for
 * those with a body, which are for `session.refused-post`.
 */
async function refuseOthers(judge: Judge, session: Session): Promise<void> {
  const { prober, settings } = judge;
  if (prober.readable.method === 'GET') {
    const seen = await prober.send({ ...prober.readable, method: 'HEAD' }, session);
    judge.status(seen, isOneOf(401, 404, 405, 501), '401 (or 404, 405, 501 where there is no HEAD)');
  }
  for (const name of ['unknown', 'forbidden', 'invalid'] as const) {
    const request = settings[name];
    if (request === undefined || request.body !== undefined || lacksProbe(prober, name) !== undefined) continue;
    const status = alsoRight[name];
    const expected = status === 401 ? '401' : `401 or ${status}`;
    judge.status(await prober.send(request, session), isOneOf(401, status), expected);
  }
}
