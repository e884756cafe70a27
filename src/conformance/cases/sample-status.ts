import { errorPayloadSchema } from '../../contract/index.js';
import { parseJson } from '../../internal/index.js';
import { type CaseDefinition, isOneOf, type Judge } from '../case.js';
import type { Exchange } from '../probing/exchange.js';
import type { Prober } from '../probing/prober.js';
import { lacksSample, type SampleName, takeOthers, takeSample } from '../probing/samples.js';

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
    const { head, others } = await takeOthers(judge.prober, name);
    if (head !== undefined)
      judge.status(head, isOneOf(401, 404, 405, 501), '401 (or 404, 405, 501 where there is no HEAD)');
    for (const { probe, seen } of others) {
      const status = alsoRight[probe];
      judge.status(seen, isOneOf(401, status), status === 401 ? '401' : `401 or ${status}`);
      if (probe === 'unknown' && (await isOfItsRoute(judge.prober, seen)))
        judge.found(seen, ` with the code that only its route responds with; expected 401`);
    }
  });
}

/** A path that no route has is a 404 for everybody (rule E4), and a query may be checked first: neither shows anything. */
const alsoRight = { unknown: 404, forbidden: 401, invalid: 400 };

/** Whether a 404 without a session comes from the route: with one it has the same code, and a path without a route another. */
async function isOfItsRoute(prober: Prober, seen: Exchange): Promise<boolean> {
  const code = codeOf(seen);
  if (seen.response?.status !== 404 || code === undefined) return false;
  if (code !== codeOf(await takeSample(prober, 'unknown-resource'))) return false;
  return code !== codeOf(await prober.send(prober.settings.unknownRoute));
}

function codeOf({ response }: Exchange): string | undefined {
  return errorPayloadSchema.safeParse(parseJson(response?.body ?? '')).data?.errors.code;
}
