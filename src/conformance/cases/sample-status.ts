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
    // The probe may name a path that no route has, which is a 404 for everybody (rule E4).
    const [accepts, expected] = name === 'unknown' ? [isOneOf(401, 404), '401 or 404'] : [isOneOf(401), '401'];
    judge.status(await prober.send(request, session), accepts, expected);
  }
}
