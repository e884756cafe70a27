import { type CaseDefinition, isOneOf, type Judge } from '../case.js';
import { lacksProbe } from '../probing/lacks.js';
import type { Session } from '../probing/prober.js';
import { lacksSample, type SampleName, takeSample } from '../probing/samples.js';
import { deadSession } from '../probing/with-session.js';

/** For a case that only looks at the status of a sample. */
export function sampleStatus(
  name: SampleName,
  accepts: (status: number) => boolean,
  expected: string,
): Pick<CaseDefinition, 'lacks' | 'check'> {
  return {
    lacks: (prober) => lacksSample(prober, name),
    check: async (judge) => judge.status(await takeSample(judge.prober, name), accepts, expected),
  };
}

/** For a case that expects a 401 to every request without a session, or with one that is not valid (rule E2). */
export function refusedEverywhere(name: 'missing-session' | 'dead-session'): Pick<CaseDefinition, 'lacks' | 'check'> {
  return {
    lacks: (prober) => lacksSample(prober, name),
    async check(judge) {
      judge.status(await takeSample(judge.prober, name), isOneOf(401), '401');
      if (judge.problems.length > 0) return; // the others are mostly the same
      await refuseOthers(judge, name === 'missing-session' ? {} : await deadSession(judge.prober));
    },
  };
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
    judge.status(
      await prober.send(request, session),
      isOneOf(401, status),
      status === 401 ? '401' : `401 or ${status}`,
    );
  }
}
